// Compares what msg_vectors prints with the packages that Foxglove reads and writes ROS messages
// with: the definitions parse, the MD5 sums agree, their reader finds in our bytes what our JSON
// says, and their writer makes of that JSON our bytes, byte by byte.
// usage: msg_compare.mjs FOLDER <VECTORS     FOLDER holds node_modules
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.argv[2]}/`);
const { md5, parse } = require("@foxglove/rosmsg");
const ros1 = require("@foxglove/rosmsg-serialization");
const ros2 = require("@foxglove/rosmsg2-serialization");

let failures = 0;
let compared = 0;

function expect(what, actual, expected) {
  compared++;
  if (actual !== expected) {
    failures++;
    if (failures <= 10) {
      console.log(`${what}:\n  found    ${actual}\n  expected ${expected}`);
    }
  }
}

const isTime = (type) => type === "time" || type === "duration";

// Our JSON as the packages take it: null is NaN, 64-bit integers are BigInt, and in ROS 1 a time has
// nsec and a header seq.
function toPeer(value, field, types, isRos1) {
  if (Array.isArray(value)) {
    return value.map((item) => toPeer(item, { ...field, isArray: false }, types, isRos1));
  }
  if (isTime(field.type)) {
    return isRos1 ? { sec: value.sec, nsec: value.nanosec } : value;
  }
  if (field.isComplex) {
    return structToPeer(value, types.get(field.type), types, isRos1);
  }
  if (field.type === "int64" || field.type === "uint64") {
    return BigInt(value);
  }
  const number = value === null ? NaN : value;
  return field.type === "float32" ? Math.fround(number) : number;
}

function structToPeer(object, type, types, isRos1) {
  const result = {};
  for (const field of type.definitions) {
    if (field.isConstant !== true) {
      const isSeq = isRos1 && field.name === "seq" && !("seq" in object);
      result[field.name] = isSeq ? 0 : toPeer(object[field.name], field, types, isRos1);
    }
  }
  return result;
}

// Text that is equal for equal values: -0 is not 0, NaN is NaN, a typed array is an array, and
// nanoseconds have one name.
function canonical(value) {
  if (typeof value === "number") {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "string") {
    return JSON.stringify(value);
  }
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    return `[${Array.from(value, canonical).join()}]`;
  }
  const entries = Object.entries(value).map(([key, item]) => [key === "nanosec" ? "nsec" : key, item]);
  return `{${entries.map(([key, item]) => `${key}:${canonical(item)}`).sort().join()}}`;
}

// The peer's CDR writer takes the number of characters for the number of bytes and cuts other texts.
const isAscii = (json) => /^[\x00-\x7f]*$/.test(JSON.stringify(json));

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");

function compare(name, schema, isRos1, messages) {
  const definitions = parse(schema, { ros2: !isRos1 });
  const types = new Map(definitions.map((type) => [type.name, type]));
  const root = definitions.find((type) => type.name === undefined) ?? definitions[0];
  const packages = isRos1 ? ros1 : ros2;
  const reader = new packages.MessageReader(definitions);
  const writer = new packages.MessageWriter(definitions);
  const encoding = isRos1 ? "ros1" : "cdr";
  messages.forEach((message, i) => {
    const object = structToPeer(message.json, root, types, isRos1);
    const bytes = new Uint8Array(Buffer.from(message[encoding], "hex"));
    const what = `${name} ${i}, ${encoding}`;
    expect(`${what}, read by the peer`, canonical(reader.readMessage(bytes)), canonical(object));
    if (isRos1 || isAscii(message.json)) {
      expect(`${what}, written by the peer`, message[encoding], hex(writer.writeMessage(object)));
    }
  });
  return definitions;
}

for await (const line of createInterface({ input: process.stdin })) {
  const type = JSON.parse(line);
  compare(type.name, type.schema_ros2, false, type.messages);
  const definitions = compare(type.name, type.schema_ros1, true, type.messages);
  expect(`${type.name}, MD5 sum`, type.md5, md5(definitions));
}
console.log(`msg_compare: ${compared} comparisons, ${failures} failures`);
process.exit(failures === 0 && compared > 0 ? 0 : 1);
