// Compares the output of msg_vectors with the packages by which Foxglove reads and writes ROS messages:
// the definitions parse, the MD5 sums agree, their reader decodes our bytes to our JSON, and their
// writer encodes that JSON to our bytes.
// usage: msg_compare.mjs FOLDER <VECTORS     FOLDER holds node_modules
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { canonical, structToPeer } from "./peer.mjs";

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

// The peer's CDR writer uses the number of characters as the number of bytes and truncates other strings.
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
