/** Who is given what: arguments in the order of the interface, and the parameters that a function has itself. */

import fs from "node:fs";

/** An argument that cannot be made, or that nobody takes. */
export class ArgumentError extends Error {}

/** Positional arguments, then one object of those that go by name only, where there are any. */
export function arranged(name, target, told, { positional, named }) {
  const rows = told && !told.extends ? told.arguments : parameters(target, told?.arguments);
  const places = rows.filter((row) => !row.keyword_only).map((row) => row.name);
  const values = [...positional];
  const options = {};
  for (const [key, value] of Object.entries(named)) {
    const place = places.indexOf(key);
    if (place >= 0 && place < positional.length) throw new ArgumentError(`${name} is given ${key} twice`);
    if (place >= 0) values[place] = value;
    else if (rows.some((row) => row.name === key)) options[key] = value;
    else throw new ArgumentError(`${name} has no argument ${key}`);
  }
  if (Object.keys(options).length) values[Math.max(places.length, values.length)] = options;
  return Array.from(values);
}

/**
 * Name, default as text, and whether it goes by name only: the parts of an object that is taken apart do.
 * `declared`: of the interface, for a last object that the function takes apart later.
 */
export function parameters(target, declared = []) {
  if (typeof target !== "function") throw new ArgumentError("only functions have a signature");
  const rows = split(listed(Function.prototype.toString.call(target))).flatMap(read);
  const known = rows.map((row) => row.name);
  const hidden = declared.filter((row) => row.keyword_only && !known.includes(row.name));
  const last = rows.at(-1);
  if (hidden.length && last && !last.keyword_only && !declared.some((row) => row.name === last.name)) rows.pop();
  return [...rows, ...hidden.map(({ name }) => ({ name, default: null, keyword_only: true }))];
}

/** What stands between the parentheses of a function's head; of a class, of its constructor. */
function listed(source) {
  const arrow = /^(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(source);
  if (arrow) return arrow[1];
  const from = /^class\b/.test(source) ? /\bconstructor\s*\(/.exec(source) : /\(/.exec(source);
  if (!from) return "";
  const inside = source.slice(from.index + from[0].length);
  return inside.slice(0, upTo(inside, ")"));
}

function read(text) {
  const at = upTo(text, "=");
  const target = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim() || null;
  if (!target.startsWith("{")) return [{ name: target.replace(/^\.\.\./, ""), default: value, keyword_only: false }];
  return split(target.slice(1, -1)).map((part) => {
    const end = upTo(part, "=");
    const name = part.slice(0, Math.min(end, upTo(part, ":"))).trim();
    return { name, default: part.slice(end + 1).trim() || null, keyword_only: true };
  });
}

function split(text) {
  const found = [];
  for (let rest = text; rest.trim();) {
    const at = upTo(rest, ",");
    found.push(
      rest
        .slice(0, at)
        .replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "")
        .trim(),
    );
    rest = rest.slice(at + 1);
  }
  return found.filter(Boolean);
}

/** Where a character stands outside of brackets, texts and comments; else the length. */
function upTo(text, wanted) {
  let depth = 0;
  for (let k = 0; k < text.length; k += 1) {
    const char = text[k];
    const skipped = /^(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|`(?:\\[^]|[^`\\])*`|\/\*[^]*?\*\/|\/\/[^\n]*)/.exec(
      `"'\`/`.includes(char) ? text.slice(k) : "",
    );
    if (skipped) {
      k += skipped[0].length - 1;
    } else if (depth === 0 && char === wanted && text[k + 1] !== ">") {
      return k;
    } else if ("([{".includes(char)) {
      depth += 1;
    } else if (")]}".includes(char)) {
      depth -= 1;
    }
  }
  return text.length;
}

// --- types of the package --------------------------------------------------------------------------------------------

const KINDS = Object.fromEntries(
  [Float64Array, Float32Array, Int32Array, Int16Array, Int8Array, Uint32Array, Uint16Array, Uint8Array].map((kind) => [
    kind.name,
    kind,
  ]),
);

/** Of each function, `.method` and class with a constructor: names and types of its parameters, from *.d.ts. */
export function declared(folder) {
  const found = new Map();
  for (const row of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${row.name}`;
    if (row.isDirectory() && !/^(?:node_modules|\..*)$/.test(row.name))
      for (const one of declared(path)) found.set(...one);
    if (row.isFile() && /\.d\.[cm]?ts$/.test(row.name))
      for (const one of declaredIn(fs.readFileSync(path, "utf8"))) found.set(...one);
  }
  return found;
}

function* declaredIn(text) {
  const heads =
    /\bclass\s+([\w$]+)|\bfunction\s+([\w$]+)\s*(?:<[^(]*>)?\(|\bconst\s+([\w$]+)\s*:\s*\(|^\s+(?:static\s+)?([\w$]+)\s*(?:<[^(]*>)?\(/gm;
  let owner = "";
  for (const match of text.matchAll(heads)) {
    const [head, cls, name, constant, method] = match;
    if (cls) owner = cls;
    const inside = text.slice(match.index + head.length);
    const rows = split(cls ? "" : inside.slice(0, upTo(inside, ")"))).map((part) => {
      const at = upTo(part, ":");
      return {
        name: part
          .slice(0, at)
          .replace(/^\.\.\.|\?$/g, "")
          .trim(),
        type: part.slice(at + 1).trim(),
      };
    });
    if (!cls) yield [name ?? constant ?? (method === "constructor" ? owner : `.${method}`), rows];
  }
}

/** A vector as the typed array that a parameter asks for, a matrix row by row in one, or as an array of them. */
export function asTyped(value, type) {
  const [, open, name, close] =
    /^(?:readonly\s+)?((?:Readonly)?Array<|)(\w+)(?:<\w+>)?(>|\[\]|)(?:\s*\|\s*(?:null|undefined))*$/.exec(type) ?? [];
  if (name === "bigint" && Number.isInteger(value)) return BigInt(value);
  if (!Object.hasOwn(KINDS, name ?? "") || !Array.isArray(value)) return value;
  if (open || close) return value.map((row) => asTyped(row, name));
  const flat = value.flat(Infinity);
  return flat.every((one) => typeof one === "number") ? KINDS[name].from(flat) : value;
}
