/**
 * Plain values as bytes, see docs/reference/worker-protocol.md. Little-endian, as every machine of Node is.
 * What cannot be handed over becomes `opaque` or `method`, so that what lies beside it arrives.
 */

const DEEPEST_READ = 200;
const DEEPEST_WRITTEN = 38;
const LARGEST_FRAME = 2 ** 31 - 1;
const INT64 = 63;

/** A value of a further kind. */
export class Extra {
  constructor(kind, value) {
    this.kind = kind;
    this.value = value;
  }
}

/** A list, also where it is empty. */
export class Listed {
  constructor(values) {
    this.values = values;
  }
}

/** Numbers that lie row by row, with their dimensions. */
export class Shaped {
  constructor(sizes, values) {
    this.sizes = sizes;
    this.values = values;
  }
}

// --- reading ---------------------------------------------------------------------------------------------------------

/** Every value that is malformed raises: the caller ends. */
export function decode(bytes) {
  const reader = new Reader(bytes);
  const found = reader.value(0);
  if (reader.at !== bytes.length) throw new RangeError("bytes are left over");
  return found;
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  take(size) {
    const from = this.at;
    if (size < 0 || from + size > this.bytes.length) throw new RangeError("it ends too early");
    this.at = from + size;
    return from;
  }

  size() {
    const found = this.bytes.readInt32LE(this.take(4));
    if (found < 0 || found > this.bytes.length - this.at) throw new RangeError("it names more parts than there are");
    return found;
  }

  text() {
    const size = this.bytes.readInt32LE(this.take(4));
    if (size === -1) return null;
    const from = this.take(size);
    return this.bytes.toString("utf8", from, from + size);
  }

  value(depth) {
    if (depth > DEEPEST_READ) throw new RangeError("it is nested too deeply");
    const tag = String.fromCharCode(this.bytes[this.take(1)]);
    switch (tag) {
      case "n":
        return null;
      case "t":
        return true;
      case "f":
        return false;
      case "i":
        return whole(this.bytes.readBigInt64LE(this.take(8)));
      case "d":
        return this.bytes.readDoubleLE(this.take(8));
      case "s":
        return this.text();
      case "v":
        return this.elements("d", this.size());
      case "a":
        return this.array();
      case "l":
        return Array.from({ length: this.size() }, () => this.value(depth + 1));
      case "m":
        return Object.fromEntries(Array.from({ length: this.size() }, () => [this.text(), this.value(depth + 1)]));
      case "x":
        return new Extra(this.text(), this.value(depth + 1));
      default:
        throw new RangeError(`an unknown tag ${tag}`);
    }
  }

  /** Rows as arrays of their own; a single value where there are no dimensions. */
  array() {
    const letter = String.fromCharCode(this.bytes[this.take(1)]);
    const sizes = Array.from({ length: this.size() }, () => this.bytes.readInt32LE(this.take(4)));
    if (sizes.some((size) => size < 0)) throw new RangeError("an array of a negative size");
    const all = sizes.reduce((product, size) => product * size, 1);
    if (sizes.length > 32 || all > this.bytes.length) throw new RangeError("it names more parts than there are");
    const flat = this.elements(letter, all);
    return sizes.length ? nested(flat, sizes) : flat[0];
  }

  elements(letter, count) {
    if (letter === "s") return Array.from({ length: count }, () => this.text());
    if (letter === "l") return Array.from(this.raw(Uint8Array, count), (one) => (one > 1 ? null : one === 1));
    if (letter === "i") return Array.from(this.raw(BigInt64Array, count), whole);
    if (letter === "z") {
      const parts = this.raw(Float64Array, 2 * count);
      return Array.from({ length: count }, (_, k) => new Extra("complex", [parts[2 * k], parts[2 * k + 1]]));
    }
    const kind = { d: Float64Array, f: Float32Array, j: Int32Array }[letter];
    if (!kind) throw new RangeError(`an array of ${letter}`);
    const raw = this.raw(kind, count);
    const found = new Array(count); // several times as fast as Array.from
    for (let k = 0; k < count; k += 1) found[k] = raw[k];
    return found;
  }

  raw(kind, count) {
    const size = kind.BYTES_PER_ELEMENT * count;
    const from = this.bytes.byteOffset + this.take(size);
    return new kind(this.bytes.buffer.slice(from, from + size));
  }
}

/** A number where it is exact, else a BigInt. */
function whole(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function nested(flat, sizes) {
  if (sizes.length === 1) return flat;
  const [rows, ...rest] = sizes;
  const width = rest.reduce((product, size) => product * size, 1);
  return Array.from({ length: rows }, (_, k) => nested(flat.slice(k * width, (k + 1) * width), rest));
}

// --- writing ---------------------------------------------------------------------------------------------------------

/** The value with its length before it. */
export function framed(value) {
  const writer = new Writer();
  writer.room(8);
  writer.value(value, []);
  writer.bytes.writeBigInt64LE(BigInt(writer.at - 8), 0);
  return writer.bytes.subarray(0, writer.at);
}

class Writer {
  constructor() {
    this.bytes = Buffer.allocUnsafe(1024);
    this.at = 0;
  }

  /** Where the next so many bytes go. */
  room(size) {
    const from = this.at;
    this.at += size;
    if (this.at > LARGEST_FRAME) throw new RangeError("the answer is larger than 2 GiB");
    if (this.at > this.bytes.length) {
      const more = Buffer.allocUnsafe(Math.min(LARGEST_FRAME, Math.max(this.at, 2 * this.bytes.length)));
      this.bytes.copy(more, 0, 0, from);
      this.bytes = more;
    }
    return from;
  }

  tag(letter) {
    const at = this.room(1);
    this.bytes[at] = letter.charCodeAt(0);
  }

  int(number) {
    const at = this.room(4);
    this.bytes.writeInt32LE(number, at);
  }

  text(text) {
    const size = Buffer.byteLength(text);
    this.int(size);
    const at = this.room(size);
    this.bytes.write(text, at, size);
  }

  /** `above`: the values that this one lies in. */
  value(value, above) {
    if (value === null || value === undefined) return this.tag("n");
    switch (typeof value) {
      case "boolean":
        return this.tag(value ? "t" : "f");
      case "number": {
        this.tag("d");
        const at = this.room(8);
        this.bytes.writeDoubleLE(value, at);
        return undefined;
      }
      case "string":
        this.tag("s");
        return this.text(value);
      case "bigint":
        return this.whole(value);
      case "object":
        return this.object(value, above);
      default:
        return this.extra(typeof value === "function" ? "method" : "opaque", typeOf(value), above);
    }
  }

  whole(value) {
    if (BigInt.asIntN(INT64 + 1, value) !== value) {
      return this.extra("integer", `${value < 0n ? "-" : ""}0x${(value < 0n ? -value : value).toString(16)}`, []);
    }
    this.tag("i");
    const at = this.room(8);
    return void this.bytes.writeBigInt64LE(value, at);
  }

  extra(kind, value, above) {
    this.tag("x");
    this.text(kind);
    this.value(value, above);
  }

  object(value, above) {
    if (value instanceof Extra) return this.extra(value.kind, value.value, above);
    if (value instanceof Listed) return this.list(value.values, above);
    if (value instanceof Shaped) return this.array(formOf(value.values).letter, value.sizes, value.values);
    if (above.length > DEEPEST_WRITTEN || above.includes(value)) return this.extra("opaque", typeOf(value), above);
    const form = formOf(value);
    if (form) return this.array(form.letter, form.sizes, value);
    const below = [...above, value];
    if (Array.isArray(value)) return this.list(value, below);
    if (value instanceof Set) {
      this.tag("x");
      this.text("set");
      return this.list([...value], below);
    }
    if (value instanceof Map) return this.map(value, below);
    if (isPlain(value)) return this.names(Object.entries(value), below);
    return this.extra("opaque", typeOf(value), above);
  }

  list(values, above) {
    this.tag("l");
    this.int(values.length);
    for (let k = 0; k < values.length; k += 1) this.value(values[k], above);
  }

  names(entries, above) {
    this.tag("m");
    this.int(entries.length);
    for (const [name, part] of entries) {
      this.text(name);
      this.value(part, above);
    }
  }

  map(value, above) {
    const entries = [...value];
    if (entries.every(([key]) => typeof key === "string")) return this.names(entries, above);
    this.tag("x");
    this.text("pairs");
    return this.list(entries, above);
  }

  array(letter, sizes, values) {
    this.tag("a");
    this.tag(letter);
    this.int(sizes.length);
    sizes.forEach((size) => this.int(size));
    this.elements(letter, values);
  }

  elements(letter, values) {
    if (Array.isArray(values) && typeof values[0] === "object") {
      values.forEach((row) => this.elements(letter, row));
      return;
    }
    const raw = { d: Float64Array, f: Float32Array, i: BigInt64Array, j: Int32Array, l: Uint8Array }[letter];
    const held = values instanceof raw ? values : new raw(letter === "i" ? Array.from(values, BigInt) : values);
    const at = this.room(held.byteLength);
    this.bytes.set(new Uint8Array(held.buffer, held.byteOffset, held.byteLength), at);
  }
}

const LETTERS = new Map([
  [Float64Array, "d"],
  [Float32Array, "f"],
  [BigInt64Array, "i"],
  [Uint32Array, "i"],
  [Int32Array, "j"],
  ...[Int16Array, Int8Array, Uint16Array, Uint8Array, Uint8ClampedArray].map((kind) => [kind, "j"]),
]);

/** Dimensions and letter of an array of numbers or of truth values, of rows of equal length; else nothing. */
export function formOf(value) {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    if (value instanceof BigUint64Array) return value.every(isInt64) ? { letter: "i", sizes: [value.length] } : null;
    const letter = [...LETTERS].find(([kind]) => value instanceof kind)?.[1];
    return letter ? { letter, sizes: [value.length] } : null;
  }
  if (!Array.isArray(value)) return null;
  if (!value.length) return { letter: "d", sizes: [0] };
  const kind = typeof value[0];
  if (kind === "object") return rowsOf(value);
  const letter = { number: "d", boolean: "l", bigint: "i" }[kind];
  if (!letter) return null;
  for (let k = 0; k < value.length; k += 1) if (typeof value[k] !== kind) return null;
  return kind === "bigint" && !value.every(isInt64) ? null : { letter, sizes: [value.length] };
}

function rowsOf(value) {
  const first = formOf(value[0]);
  if (!first || first.sizes.length > 31) return null;
  let { letter } = first;
  for (let k = 1; k < value.length; k += 1) {
    const row = formOf(value[k]);
    if (!row || row.sizes.length !== first.sizes.length) return null;
    if (row.sizes.some((size, place) => size !== first.sizes[place])) return null;
    if (row.letter !== letter) {
      if ("li".includes(letter) || "li".includes(row.letter)) return null;
      letter = "d";
    }
  }
  return { letter, sizes: [value.length, ...first.sizes] };
}

function isInt64(value) {
  return BigInt.asIntN(INT64 + 1, value) === value;
}

export function isPlain(value) {
  const above = Object.getPrototypeOf(value);
  return above === null || above === Object.prototype;
}

function typeOf(value) {
  return typeof value === "object" ? (classesOf(value)[0] ?? "Object") : typeof value;
}

/** Names of the classes of an object, its own first. */
export function classesOf(value) {
  const found = [];
  for (let above = Object.getPrototypeOf(value); above && above !== Object.prototype;) {
    const own = Object.getOwnPropertyDescriptor(above, "constructor")?.value;
    if (typeof own === "function") found.push(own);
    above = Object.getPrototypeOf(above);
  }
  return found.slice(0, 20).map(calledAs);
}

/** A class that is called like one of the language and is another one does not go by that name. */
function calledAs(kind) {
  const name = String(kind.name || "anonymous");
  return OF_LANGUAGE.has(name) && OF_LANGUAGE.get(name) !== kind ? `package.${name}` : name;
}

const OF_LANGUAGE = new Map(
  Object.getOwnPropertyNames(globalThis)
    .filter((name) => /^[A-Z]/.test(name))
    .map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name).value])
    .filter(([, value]) => typeof value === "function"),
);

export function isOfLanguage(name) {
  return OF_LANGUAGE.has(name);
}
