/** Which lines of the package were executed: counted by V8, told by the lines of its sources where maps lead there. */

import fs from "node:fs";
import { Session } from "node:inspector";
import { SourceMap } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("node_modules", import.meta.url));

/** Counts from now on; what it returns writes the counts to `place`. */
export function follow(place) {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return () =>
    session.post("Profiler.takePreciseCoverage", (_, { result }) => {
      fs.writeFileSync(place, JSON.stringify({ lines: linesOf(result) }));
    });
}

function linesOf(scripts) {
  const [name] = fs.readdirSync(MODULES);
  const tree = fs.realpathSync(`${MODULES}/${name}`);
  const found = {};
  for (const { url, functions } of scripts) {
    const path = url.startsWith("file:") ? fileURLToPath(url) : "";
    if (!path.startsWith(`${tree}/`) || path.includes("/node_modules/")) continue;
    for (const [source, line, count] of counted(url, fs.readFileSync(path, "utf8"), functions)) {
      const own = relative(tree, fileURLToPath(source));
      (found[own] ??= new Map()).set(line, Math.max(count, found[own].get(line) ?? 0));
    }
  }
  return Object.fromEntries(Object.entries(found).map(([path, lines]) => [path, [...lines]]));
}

/** Source, line and count of each line that holds code. */
function* counted(url, text, functions) {
  const counts = new Float64Array(text.length);
  const ranges = functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
  const map = mapOf(url, text);
  let at = 0;
  for (const [number, line] of text.split("\n").entries()) {
    const column = line.search(/\S/);
    if (column >= 0 && !/^\s*(?:\/[/*]|\*|[\])};,]+\s*$)/.test(line)) {
      const entry = map?.findEntry(number, column);
      if (!map) yield [url, number + 1, counts[at + column]];
      else if (entry.originalSource) {
        yield [new URL(entry.originalSource, url).href, entry.originalLine + 1, counts[at + column]];
      }
    }
    at += line.length + 1;
  }
}

function mapOf(url, text) {
  const named = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(text)?.[1];
  try {
    return named ? new SourceMap(JSON.parse(fs.readFileSync(new URL(named, url), "utf8"))) : null;
  } catch {
    return null;
  }
}
