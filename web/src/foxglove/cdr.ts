// Reads and writes CDR as used by ROS 2 and MCAP: values are aligned to their size, relative to the end
// of the four-byte header that gives the byte order. Interprets schemas, since the page's content
// security policy forbids generated code.
import type { Field, Primitive, Struct } from "./schema";

export type Value = boolean | number | bigint | string | Float64Array | Value[] | Message;
export interface Message {
  [field: string]: Value;
}

const HEADER = 4;
const SIZE: Record<Exclude<Primitive, "string">, number> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
};

class Reader {
  private readonly view: DataView;
  private readonly little: boolean;
  private readonly text = new TextDecoder();
  private at = HEADER;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.byteLength < HEADER || this.view.getUint8(0) !== 0 || this.view.getUint8(1) > 1) {
      throw new RangeError("not plain CDR");
    }
    this.little = this.view.getUint8(1) === 1;
  }

  /** Offset of the next value of this size; reading it throws if it is beyond the end. */
  private next(size: number): number {
    const rest = (this.at - HEADER) % size;
    const place = rest === 0 ? this.at : this.at + size - rest;
    this.at = place + size;
    return place;
  }

  private count(smallest: number): number {
    const count = this.view.getUint32(this.next(4), this.little);
    if (count * smallest > this.bytes.byteLength - this.at) {
      throw new RangeError(`${count} items do not fit into the remaining bytes`);
    }
    return count;
  }

  private string(): string {
    const length = this.count(1);
    const from = this.at;
    this.at += length;
    const end = length > 0 && this.bytes[this.at - 1] === 0 ? this.at - 1 : this.at;
    return this.text.decode(this.bytes.subarray(from, end));
  }

  private primitive(type: Primitive): Value {
    const { view, little } = this;
    switch (type) {
      case "bool":
        return view.getUint8(this.next(1)) !== 0;
      case "int8":
        return view.getInt8(this.next(1));
      case "uint8":
        return view.getUint8(this.next(1));
      case "int16":
        return view.getInt16(this.next(2), little);
      case "uint16":
        return view.getUint16(this.next(2), little);
      case "int32":
        return view.getInt32(this.next(4), little);
      case "uint32":
        return view.getUint32(this.next(4), little);
      case "int64":
        return view.getBigInt64(this.next(8), little);
      case "uint64":
        return view.getBigUint64(this.next(8), little);
      case "float32":
        return view.getFloat32(this.next(4), little);
      case "float64":
        return view.getFloat64(this.next(8), little);
      case "string":
        return this.string();
    }
  }

  private doubles(count: number): Float64Array {
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      values[i] = this.view.getFloat64(this.next(8), this.little);
    }
    return values;
  }

  private one(type: Primitive | Struct): Value {
    return typeof type === "string" ? this.primitive(type) : this.struct(type);
  }

  private field(field: Field): Value {
    if (field.array === undefined) {
      return this.one(field.type);
    }
    const count = field.array === "sequence" ? this.count(1) : field.array;
    if (field.type === "float64") {
      return this.doubles(count);
    }
    const values: Value[] = [];
    for (let i = 0; i < count; i++) {
      values.push(this.one(field.type));
    }
    return values;
  }

  struct(type: Struct): Message {
    const message: Message = {};
    for (const field of type.fields) {
      message[field.name] = this.field(field);
    }
    return message;
  }
}

class Writer {
  private bytes = new Uint8Array(256);
  private view = new DataView(this.bytes.buffer);
  private readonly text = new TextEncoder();
  private at = HEADER;

  constructor() {
    this.bytes[1] = 1; // little-endian
  }

  private room(size: number): number {
    const place = this.at;
    this.at += size;
    if (this.at > this.bytes.byteLength) {
      const larger = new Uint8Array(Math.max(2 * this.bytes.byteLength, this.at));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return place;
  }

  private next(size: number): number {
    const rest = (this.at - HEADER) % size;
    if (rest !== 0) {
      this.room(size - rest);
    }
    return this.room(size);
  }

  private count(count: number): void {
    const place = this.next(4);
    this.view.setUint32(place, count, true);
  }

  private string(value: string): void {
    const encoded = this.text.encode(value);
    this.count(encoded.byteLength + 1);
    const place = this.room(encoded.byteLength + 1);
    this.bytes.set(encoded, place);
  }

  private primitive(type: Primitive, value: Value): void {
    if (type === "string") {
      this.string(String(value));
      return;
    }
    const place = this.next(SIZE[type]);
    switch (type) {
      case "bool":
        return this.view.setUint8(place, value ? 1 : 0);
      case "int8":
        return this.view.setInt8(place, Number(value));
      case "uint8":
        return this.view.setUint8(place, Number(value));
      case "int16":
        return this.view.setInt16(place, Number(value), true);
      case "uint16":
        return this.view.setUint16(place, Number(value), true);
      case "int32":
        return this.view.setInt32(place, Number(value), true);
      case "uint32":
        return this.view.setUint32(place, Number(value), true);
      case "int64":
        return this.view.setBigInt64(place, BigInt(value as bigint), true);
      case "uint64":
        return this.view.setBigUint64(place, BigInt(value as bigint), true);
      case "float32":
        return this.view.setFloat32(place, Number(value), true);
      case "float64":
        return this.view.setFloat64(place, Number(value), true);
    }
  }

  private one(type: Primitive | Struct, value: Value | undefined): void {
    if (typeof type === "string") {
      this.primitive(type, value ?? (type === "string" ? "" : 0));
    } else {
      this.struct(type, (value ?? {}) as Message);
    }
  }

  struct(type: Struct, message: Message): void {
    for (const field of type.fields) {
      const value = message[field.name];
      if (field.array === undefined) {
        this.one(field.type, value);
        continue;
      }
      const items = (value ?? []) as ArrayLike<Value>;
      if (field.array === "sequence") {
        this.count(items.length);
      }
      const count = field.array === "sequence" ? items.length : field.array;
      for (let i = 0; i < count; i++) {
        this.one(field.type, items[i]);
      }
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.at);
  }
}

/** Throws a RangeError if the bytes are truncated. */
export function readCdr(type: Struct, bytes: Uint8Array): Message {
  return new Reader(bytes).struct(type);
}

/** Missing fields become zero, empty or false. */
export function writeCdr(type: Struct, message: Message): Uint8Array<ArrayBuffer> {
  const writer = new Writer();
  writer.struct(type, message);
  return writer.finish();
}
