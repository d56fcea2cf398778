/** One function for everything that a worker must hand over, or must survive. */

import { spawnSync } from "node:child_process";
import fs from "node:fs";

export const echo = (value) => value;
export const kindOf = (value) =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? `array of ${kindOf(value[0])}`
      : (value?.constructor?.name ?? typeof value);
export const isFrozen = (value) => Object.isFrozen(value);

/** What JavaScript holds, by its name. */
export function held(name) {
  const cyclic = { name: "round" };
  cyclic.self = cyclic;
  const values = {
    undefined: undefined,
    null: null,
    negativeZero: -0,
    nan: NaN,
    infinities: [Infinity, -Infinity],
    big: 2n ** 70n,
    long: 2n ** 60n + 1n,
    typed: Float64Array.of(1, 2.5),
    single: Float32Array.of(0.5),
    bytes: Uint8Array.of(1, 255),
    longs: BigInt64Array.of(1n, -(2n ** 62n)),
    rows: [Float64Array.of(1, 2), Float64Array.of(3, 4)],
    cube: [
      [[1], [2]],
      [[3], [4]],
    ],
    truths: [true, false],
    ragged: [[1], [2, 3]],
    mixed: [1, "a", null],
    texts: ["a", "ä€𝒳"],
    empty: [],
    map: new Map([["a", 1]]),
    pairs: new Map([[1, "one"]]),
    set: new Set([3, 1]),
    date: new Date(0),
    nested: { a: { b: [1, 2] }, when: new Date(0), make: () => 1 },
    bare: Object.assign(Object.create(null), { a: 1 }),
    cyclic,
    symbol: Symbol("s"),
    ["function"]: () => 1,
  };
  return values[name];
}

// --- arguments -------------------------------------------------------------------------------------------------------

export function told(first, second = 2, { third = 3, fourth } = {}) {
  return [first, second, third, fourth === undefined ? -1 : fourth];
}

export function later(first, options) {
  const { third = 3 } = options ?? {};
  return [first, third];
}

export function scale(values, by = 2) {
  for (let k = 0; k < values.length; k += 1) values[k] *= by;
  return values;
}

// --- answers of earlier calls ----------------------------------------------------------------------------------------

export class Fit {
  #y;
  constructor(y) {
    this.#y = y;
    this.total = y.reduce((a, b) => a + b, 0);
    this.table = Float64Array.from([...y, ...y]);
    this.inner = { flat: Float64Array.from([...y, ...y]), size: y.length };
    this._hidden = 1;
  }
  static empty() {
    return new Fit([]);
  }
  get mean() {
    return this.total / this.#y.length;
  }
  get broken() {
    throw new RangeError("no such thing");
  }
  shifted(by = 1) {
    return new Fit(this.#y.map((value) => value + by));
  }
  push(value) {
    this.total += value;
  }
  toString() {
    return `Fit of ${this.#y.length}`;
  }
}
export const fit = (y) => new Fit(y);
export const totalOf = (one) => one.total;
export const grown = (one) => one.push(1);
export const flat = (X) => X.flat();

// --- random numbers, promises, errors, output ------------------------------------------------------------------------

export const draws = (n, rng = Math.random) => Array.from({ length: n }, () => rng());
export const promised = async (value) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (value < 0) throw new NegativeError(`it is ${value}`);
  return value;
};

export class NegativeError extends RangeError {}
class TypeErrorOfOwn extends Error {}
Object.defineProperty(TypeErrorOfOwn, "name", { value: "TypeError" });

export function thrown(what) {
  const named = new Error("by its name");
  named.name = "FactoryError";
  const values = {
    own: new NegativeError("below zero"),
    language: new RangeError("out of range"),
    feigned: new TypeErrorOfOwn("feigned"),
    named,
    text: "a text",
    object: { code: 3 },
    nothing: undefined,
  };
  throw values[what];
}
export const deep = (n) => 1 + deep(n + 1);
export const mistaken = (value) => value.missing.part;

export function says() {
  console.log("to the screen");
  process.stderr.write("to the other\n");
  fs.writeSync(1, "by its number\n");
  spawnSync("echo", ["from a child"], { stdio: "inherit" });
  return 1;
}
export function warns(how) {
  if (how === "console") console.warn("mind", [1]);
  else if (how === "error") process.emitWarning(Object.assign(new Error("as an error"), { name: "SlowWarning" }));
  else process.emitWarning("as a text", "RoundedWarning");
  return 1;
}
export const large = (n) => new Float64Array(n).fill(1).length;

// --- what ends badly -------------------------------------------------------------------------------------------------

export const exits = () => process.exit(0);
export const aborts = () => process.abort();
export const rejects = () => void Promise.reject(new NegativeError("nobody looks"));
export const throwsLater = () => new Promise(() => setTimeout(() => thrown("language"), 1));
export const never = () => new Promise(() => {});
export const spins = () => {
  for (;;);
};
export const hoards = () => {
  const kept = [];
  for (;;) kept.push(new Float64Array(1e6).fill(1));
};
export const forges = (path, value) => {
  const frame = Buffer.alloc(17);
  frame.writeBigInt64LE(9n, 0);
  frame.write("d", 8);
  frame.writeDoubleLE(value, 9);
  fs.writeFileSync(path, frame);
  return value;
};
export const garbles = (path) => fs.writeFileSync(path, Buffer.alloc(4096, 0xff));
export const writes = (paths) =>
  paths.map((path) => {
    try {
      fs.writeFileSync(path, "changed");
      return "written";
    } catch (error) {
      return error.code;
    }
  });
export const answersFrom = () => fs.readlinkSync("/proc/self/cwd");
