/**
 * Holds the package and answers calls: node worker.mjs INPUT OUTPUT SITE PACKAGE
 *
 * PACKAGE is found in node_modules beside this file, as its users find it. What is asked and answered is in
 * docs/reference/worker-protocol.md. Whoever compares is elsewhere and believes nothing but values: a package that
 * changes this process can only change its own answers.
 */

import fs from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { inspect, isDeepStrictEqual } from "node:util";

import { ArgumentError, arranged, asTyped, declared, parameters } from "./arguments.mjs";
import { Extra, Listed, Shaped, classesOf, decode, formOf, framed, isOfLanguage, isPlain } from "./wire.mjs";

const LONGEST_TEXT = 4000;
const MOST_WARNINGS = 200;
const later = setImmediate;
const now = performance.now.bind(performance);
const TOLD = JSON.parse(fs.readFileSync(new URL("interface.json", import.meta.url), "utf8"));

// --- random numbers --------------------------------------------------------------------------------------------------

/** A function that returns numbers in [0, 1), by a seed of any kind (xoshiro128**). */
function generatorOf(seed) {
  let state = 0x9e3779b9;
  for (const char of String(inspect(seed, { maxArrayLength: null, maxStringLength: null, compact: true }))) {
    state = Math.imul(state ^ char.codePointAt(0), 0x01000193);
  }
  const s = Uint32Array.from({ length: 4 }, () => {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  });
  const bits = () => {
    const scrambled = Math.imul(s[1], 5);
    const found = Math.imul((scrambled << 7) | (scrambled >>> 25), 9);
    const shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return found >>> 0;
  };
  return () => ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53;
}

let drawn = generatorOf(0);
Math.random = () => drawn();

// --- errors and warnings ---------------------------------------------------------------------------------------------

function condition(error) {
  if (error === null || typeof error !== "object")
    return { classes: [typeof error], message: shortened(String(error)) };
  const classes = classesOf(error);
  const message = shortened("message" in error ? String(error.message) : inspect(error));
  if (!classes.length) return { classes: ["object"], message };
  const own = error.name;
  if (isOfLanguage(classes[0]) && typeof own === "string" && !isOfLanguage(own)) classes.unshift(own);
  if (classes[0] === "RangeError" && message === "Maximum call stack size exceeded") classes.unshift("StackOverflow");
  return { classes, message };
}

function shortened(text) {
  return text.slice(0, LONGEST_TEXT);
}

let warned = [];

/** Warnings of Node are recorded and not printed; console.warn prints, too. */
function watchWarnings() {
  process.emitWarning = (warning, type) => {
    const name = typeof type === "object" && type !== null ? type.type : type;
    if (warning instanceof Error) warned.push(condition(warning));
    else
      warned.push({
        classes: [...new Set([String(name ?? "Warning"), "Warning"])],
        message: shortened(String(warning)),
      });
  };
  const print = console.warn;
  console.warn = (...said) => {
    warned.push({ classes: ["console.warn"], message: shortened(said.map((part) => shown(part)).join(" ")) });
    print.apply(console, said);
  };
}

/** Descriptors 1 and 2 are a file without a name, so that what native code prints is seen. */
function catchOutput() {
  const place = `${process.env.TMPDIR ?? "/tmp"}/printed-${process.pid}`;
  for (const stream of [1, 2]) {
    fs.closeSync(stream); // the next file that is opened gets this number
    if (fs.openSync(place, "a+", 0o600) !== stream) process.exit(1);
  }
  fs.unlinkSync(place);
}

function printed() {
  const bytes = Buffer.alloc(Math.min(fs.fstatSync(1).size, 4 * LONGEST_TEXT));
  const size = bytes.length ? fs.readSync(1, bytes, 0, bytes.length, 0) : 0;
  return shortened(bytes.toString("utf8", 0, size));
}

// --- memory ----------------------------------------------------------------------------------------------------------

/** From here on the peak counts anew, where the kernel can do that. What is in use now, in bytes. */
function resetPeak() {
  try {
    fs.writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    return 0;
  }
  return peak();
}

function peak() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(fs.readFileSync("/proc/self/status", "latin1"))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

// --- parts of answers ------------------------------------------------------------------------------------------------

/** The field in an array, nothing in it where the object has none of that name. An item of a Map counts as one. */
function field(value, name) {
  const own = value instanceof Map && value.has(name) ? [value.get(name)] : [];
  if (value === null || value === undefined || !(name in Object(value))) return own;
  if (own.length && !isDeepStrictEqual(own[0], value[name])) {
    throw new TypeError(`${name} is one thing as a property and another as an item`);
  }
  return [value[name]];
}

function part(value, step) {
  const found = field(value, step);
  if (!found.length) throw new ArgumentError(`the answer has no ${step}`);
  return found[0];
}

/** What an object holds and shows: its own properties, and getters of its classes. */
function held(value) {
  if (value instanceof Map) return [...value.keys()].filter((key) => typeof key === "string");
  const found = Object.keys(value).filter((name) => typeof value[name] !== "function");
  for (let above = Object.getPrototypeOf(value); above && above !== Object.prototype;) {
    const rows = Object.entries(Object.getOwnPropertyDescriptors(above));
    found.push(...rows.filter(([, row]) => row.get).map(([name]) => name));
    above = Object.getPrototypeOf(above);
  }
  return [...new Set(found)].filter((name) => !name.startsWith("_"));
}

/** An object by its declared fields. `told`: what the interface says of it; `given`: the arguments by name. */
function described(value, fields, told, given) {
  if (value === null || value === undefined) return null;
  const wanted = fields.flatMap((row) => (row === "*" ? held(value) : [row]));
  const raw = new Map();
  for (const row of wanted) {
    const name = typeof row === "string" ? row : row.name;
    if (!raw.has(name)) raw.set(name, [field(value, name), row]);
  }
  const sizes = { ...Object.fromEntries([...raw].map(([name, [found]]) => [name, found[0]])), ...given };
  const there = {};
  const missing = [];
  for (const [name, [found, row]] of raw) {
    const below = fieldsOf(told)[name];
    if (!found.length) missing.push(name);
    else if (typeof row === "object") there[name] = described(found[0], row.fields, below, sizes);
    else there[name] = shaped(found[0], below, sizes);
  }
  const classes = classesOf(Object(value));
  return new Extra("object", {
    classes: classes.length ? classes : ["Object"],
    fields: there,
    missing: new Listed(missing),
  });
}

function fieldsOf(told) {
  const of_class = told?.class ? (TOLD.classes[told.class] ?? {}) : {};
  return { ...of_class.fields, ...told?.fields };
}

/** Numbers that lie in one row get the dimensions that the interface declares, where their count fits. */
function shaped(value, told, given) {
  const form = (told?.shape.length ?? 0) > 1 ? formOf(value) : null;
  if (!form || form.sizes.length !== 1) return value;
  const sizes = told.shape.map((dimension) => size(dimension, given));
  if (sizes.includes(null) || sizes.reduce((all, one) => all * one, 1) !== value.length) return value;
  return new Shaped(sizes, value);
}

const DIMENSION = /^(?:(rows|cols|length|distinct)\()?([A-Za-z][\w.]*|\d+)\)?(?: ?([+-]) ?(\d+))?$/;

function size(dimension, given) {
  const [, how, name, sign, number] = DIMENSION.exec(dimension) ?? [];
  const more = Number(number ?? 0) * (sign === "-" ? -1 : 1);
  if (name === undefined) return null;
  if (/^\d/.test(name)) return Number(name) + more;
  const value = given[name];
  if (how === undefined) return typeof value === "number" && Number.isInteger(value) ? value + more : null;
  const form = formOf(value);
  if (how === "distinct")
    return form ? new Set([...value].flat(Infinity).filter((one) => one === one)).size + more : null;
  const found = (form?.sizes ?? (Array.isArray(value) ? [value.length] : []))[how === "cols" ? 1 : 0];
  return found === undefined ? null : found + more;
}

/** What a person sees: a `toString` of its own, else what the console shows. */
function shown(value) {
  if (typeof value === "string") return value;
  const own = value !== null && typeof value === "object" && !Array.isArray(value) && !isPlain(value);
  const says = own && !isOfLanguage(classesOf(value)[0]) && value.toString !== Object.prototype.toString;
  return says ? String(value) : inspect(value, { depth: 6, breakLength: 80 });
}

// --- one conversation ------------------------------------------------------------------------------------------------

/** `kept`: what calls have returned, for later calls on it, until `forget`. */
class Worker {
  constructor(module, failure, types = new Map()) {
    this.module = module;
    this.types = types;
    this.failure = failure;
    this.forget();
  }

  forget() {
    this.kept = new Map();
    this.generators = new Map();
  }

  async answer(request) {
    if (fs.fstatSync(1).size) fs.ftruncateSync(1, 0);
    warned = [];
    const reply = await this.performed(request);
    reply.changed = new Listed(reply.changed);
    return {
      id: BigInt(request.id),
      ...reply,
      warnings: new Listed(warned.slice(0, MOST_WARNINGS)),
      printed: printed(),
    };
  }

  async performed(request) {
    const reply = { changed: [] };
    let changed = () => [];
    let begun = now();
    const fault = new Promise((_, reject) => {
      this.fail = (error) => reject(Object.assign(new Uncaught(), { cause: error }));
    });
    fault.catch(() => {});
    try {
      if (this.failure) throw this.failure.error;
      const given = this.restored(request);
      const before = this.contents(given);
      changed = () => {
        const after = this.contents(given);
        return [...before.keys()].filter((place) => !before.get(place).equals(after.get(place)));
      };
      if (request.seed !== null && request.seed !== undefined) drawn = generatorOf(request.seed);
      const resting = request.measured === false ? null : resetPeak();
      begun = now();
      const told = this.told(request);
      let value = this.perform(request, given, told);
      if (typeof value?.then === "function") value = await Promise.race([value, fault]);
      const returns = this.returned(told, given);
      const isWhole = !request.fields || (String(request.fields) === "*" && !isOpaque(value));
      const sizes = named(told, given);
      const found = isWhole ? shaped(value, returns, sizes) : described(value, request.fields, returns, sizes);
      reply.seconds = (now() - begun) / 1000;
      if (resting !== null) reply.peak = peak() - resting;
      await Promise.race([new Promise((resolve) => later(resolve)), fault]);
      reply.changed = changed();
      this.kept.set(request.id, { value, fields: request.fields ?? [], told: returns, element: this.element(request) });
      reply.value = found;
    } catch (error) {
      reply.seconds ??= (now() - begun) / 1000;
      delete reply.peak;
      reply.error = error instanceof Uncaught ? uncaught(error.cause) : condition(error);
      if (!reply.changed.length) reply.changed = changed();
    }
    return reply;
  }

  perform(request, given, told) {
    switch (request.what ?? "call") {
      case "exports":
        return Object.keys(this.module).sort();
      case "signature":
        return parameters(reached(this.module, request.function).found, told?.arguments);
      case "text":
        return shown(given.positional[0]);
      default: {
        const start = request.on === null || request.on === undefined ? this.module : this.made(request.on);
        const { owner, found } = reached(start, request.function);
        if (typeof found !== "function") throw new ArgumentError(`${request.function} is no function`);
        const values = arranged(request.function, found, told, given);
        const isClass = request.function in TOLD.classes || /^class\b/.test(Function.prototype.toString.call(found));
        return isClass ? Reflect.construct(found, values) : Reflect.apply(found, owner, values);
      }
    }
  }

  /** What the interface says of the function that is called; nothing where it says nothing. */
  told(request) {
    if (request.on === null || request.on === undefined) {
      const of_class = TOLD.classes[request.function];
      const made = of_class && {
        arguments: of_class.arguments,
        returns: { shape: [], fields: of_class.fields, class: request.function },
      };
      return TOLD.functions[request.function] ?? made;
    }
    const names = [this.element(request), `${this.kept.get(request.on.value.call)?.told?.class}.${request.function}`];
    const last = Object.keys(TOLD.functions).filter((name) => name.endsWith(`.${request.function}`));
    return [...names, ...last].map((name) => TOLD.functions[name]).find(Boolean);
  }

  /** What is called, as specifications name it. */
  element(request) {
    if (request.on === null || request.on === undefined) return request.function;
    const { call, path } = request.on.value;
    return [this.kept.get(call)?.element, ...path, request.function].join(".");
  }

  returned(told, given) {
    const decides = told?.returns?.depends_on;
    if (!decides) return told?.returns;
    const row = told.arguments.find(({ name }) => name === decides);
    const value = named(told, given)[decides] ?? (row?.default ?? "").replace(/^["']|["']$/g, "");
    return told.returns.cases[String(value)] ?? told.returns;
  }

  // --- arguments

  /** Nothing, as an argument, is `undefined`: as if it was left out. */
  restored(request) {
    const made = (place, value) => {
      try {
        return this.made(value) ?? undefined;
      } catch (error) {
        throw new ArgumentError(`argument ${place} of ${request.function}: ${error.message}`);
      }
    };
    const { on, function: called } = request;
    const types = this.types.get(on === null || on === undefined ? called : `.${called}`) ?? [];
    const typeOf = (name) => types.find((row) => row.name === name)?.type ?? "";
    const positional = (request.arguments ?? []).map((value, place) =>
      asTyped(made(place + 1, value), types[place]?.type ?? ""),
    );
    const rows = Object.entries(request.named ?? {});
    return {
      positional,
      named: Object.fromEntries(rows.map(([name, value]) => [name, asTyped(made(name, value), typeOf(name))])),
    };
  }

  made(value) {
    if (Array.isArray(value)) return value.map((inner) => this.made(inner));
    if (value instanceof Extra) return this.further(value.kind, value.value);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.made(inner)]));
  }

  further(kind, inner) {
    switch (kind) {
      case "answer":
        if (!this.kept.has(inner.call))
          throw new ArgumentError("the answer of an earlier call is wanted, and there is none");
        return inner.path.reduce(part, this.kept.get(inner.call).value);
      case "generator":
        return this.generator(inner.seed, inner.name);
      case "tuple":
      case "scalar":
      case "fortran":
      case "logical":
      case "formula":
        return this.made(inner);
      case "readonly":
        return frozen(this.made(inner));
      case "set":
      case "frozenset":
        return new Set(this.made(inner));
      case "pairs":
        return new Map(this.made(inner));
      case "integer":
        return /^-/.test(inner) ? -BigInt(inner.slice(1)) : BigInt(inner);
      case "bytes":
      case "bytearray":
        return new Uint8Array(Buffer.from(inner, "hex"));
      case "masked":
        return unmasked(...this.made(inner));
      case "named":
        return this.made(inner.value);
      case "table":
        return this.made(inner.columns);
      case "series":
        return this.made(inner.values);
      case "factor":
        return this.made(inner.codes).map((code) => (code > 0 ? inner.levels[code - 1] : null));
      default:
        throw new ArgumentError(`JavaScript has no value of the kind ${kind}`);
    }
  }

  /** A named one is the same, further on, in later calls. */
  generator(seed, name) {
    if (name === null || name === undefined) return generatorOf(seed);
    if (!this.generators.has(name)) this.generators.set(name, generatorOf(seed));
    return this.generators.get(name);
  }

  contents({ positional, named: by_name }) {
    const rows = [...positional.entries(), ...Object.entries(by_name)];
    return new Map(rows.map(([place, value]) => [String(place), this.content(value)]));
  }

  /** What an argument holds, to be compared later: of an earlier answer, its declared fields. */
  content(value) {
    try {
      const own = Object(value) === value ? [...this.kept.values()].find((row) => row.value === value) : undefined;
      return Buffer.from(framed(own?.fields.length ? described(value, own.fields, undefined, {}) : value));
    } catch {
      return Buffer.alloc(0); // a field that cannot be read
    }
  }
}

/** Whether it cannot be handed over as it is. */
function isOpaque(value) {
  if (value === null || typeof value !== "object") return false;
  return !(Array.isArray(value) || value instanceof Map || value instanceof Set || formOf(value) || isPlain(value));
}

class Uncaught extends Error {}

function uncaught(error) {
  const found = condition(error);
  return { ...found, classes: ["UncaughtException", ...found.classes] };
}

/** The arguments by name, as far as the interface names them. */
function named(told, given) {
  const names = (told?.arguments ?? []).filter((row) => !row.keyword_only).map((row) => row.name);
  const rows = given.positional.slice(0, names.length).map((value, place) => [names[place], value]);
  return { ...Object.fromEntries(rows), ...given.named };
}

function reached(start, name) {
  let owner = start;
  let found = start;
  for (const step of name.split(".")) {
    owner = found;
    if (found === null || found === undefined || !(step in Object(found)))
      throw new ArgumentError(`there is no ${name}`);
    found = found[step];
  }
  return { owner, found };
}

function frozen(value) {
  if (Array.isArray(value)) value.forEach(frozen);
  return Array.isArray(value) ? Object.freeze(value) : value;
}

function unmasked(data, mask) {
  return Array.isArray(data) ? data.map((inner, k) => unmasked(inner, mask[k])) : mask ? NaN : data;
}

// --- the conversation ------------------------------------------------------------------------------------------------

/** As users import it; of CommonJS what it exports. */
async function loaded(name) {
  try {
    const found = await import(name);
    const common = createRequire(import.meta.url).cache[fileURLToPath(import.meta.resolve(name))];
    const types = declared(fs.realpathSync(new URL(`node_modules/${name}`, import.meta.url)));
    return new Worker(common ? Object(common.exports) : found, null, types);
  } catch (error) {
    return new Worker({}, { error });
  }
}

function receive(stream) {
  const head = exactly(stream, 8);
  const size = head && Number(head.readBigInt64LE(0));
  if (head === null) return null;
  if (!(size >= 0 && size < 2 ** 31)) process.exit(1);
  const body = exactly(stream, size);
  return body && decode(body);
}

function exactly(stream, size) {
  const found = Buffer.allocUnsafe(size);
  let at = 0;
  while (at < size) {
    const count = fs.readSync(stream, found, at, size - at, null);
    if (!count) return null;
    at += count;
  }
  return found;
}

/** An answer that cannot be written is an error. */
function send(stream, reply) {
  let bytes;
  try {
    bytes = framed(reply);
  } catch (error) {
    const { value: _value, ...rest } = reply;
    bytes = framed({ ...rest, error: condition(error) });
  }
  let at = 0;
  while (at < bytes.length) at += fs.writeSync(stream, bytes, at);
}

async function main(incoming, outgoing, _site, name) {
  const exit = process.exit.bind(process);
  const questions = fs.openSync(incoming, "r");
  const answers = fs.openSync(outgoing, "w");
  const place = process.env.STATSCLAW_COVERAGE;
  delete process.env.STATSCLAW_COVERAGE;
  const written = place ? (await import("./coverage.mjs")).follow(`${place}-${process.pid}.json`) : null;
  catchOutput();
  watchWarnings();
  let worker = null;
  process.on("uncaughtException", (error) => (worker?.fail ? worker.fail(error) : exit(1)));
  worker = await loaded(name);
  for (;;) {
    const request = receive(questions);
    if (request === null || request.do === "end") break;
    if (request.do === "forget") worker.forget();
    else send(answers, await worker.answer(request));
  }
  written?.();
  exit(0);
}

const given = process.argv.splice(1);
await main(...given.slice(1, 5));
