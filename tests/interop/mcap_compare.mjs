// Compares MCAP files with @mcap/core: its two readers find in our file the messages, definitions
// and checksums that were written, and our reader finds the messages in the files that it writes.
// usage: mcap_compare.mjs FOLDER MCAP_VECTORS     FOLDER holds node_modules
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { canonical, structToPeer } from "./peer.mjs";

const [, , folder, program] = process.argv;
const require = createRequire(`${folder}/`);
const { crc32 } = require("@foxglove/crc");
const { McapIndexedReader, McapStreamReader, McapWriter, TempBuffer } = require("@mcap/core");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader } = require("@foxglove/rosmsg2-serialization");

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

function run(...args) {
  const child = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  const lines = child.stdout.split("\n").filter((line) => line !== "");
  return { code: child.status, errors: child.stderr, lines };
}

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");

// The parts of a message that must be equal, as text.
const key = (topic, schema, sequence, log, publish, data) =>
  [topic, schema, sequence, log, publish, data].join(" ");
const keyOfLine = (m) => key(m.topic, m.schema, m.sequence, m.log, m.publish, m.data);

function keyOfPeer(message, channels, schemas) {
  const channel = channels.get(message.channelId);
  const schema = schemas.get(channel.schemaId);
  const { sequence, logTime, publishTime, data } = message;
  return key(channel.topic, schema.name, sequence, logTime, publishTime, hex(data));
}

// Both compressions by the programs of their makers.
const filter = (program, ...args) => (data) =>
  new Uint8Array(execFileSync(program, args, { input: data, maxBuffer: 1 << 26 }));
const decompressHandlers = { zstd: filter("zstd", "-dc"), lz4: filter("lz4", "-dc") };

// ---- our file ----

const path = `${folder}/ours.mcap`;
const written = run("write", path);
expect("written", written.code, 0);
for (const compression of ["zstd", "lz4"]) {
  const packed = run("write", `${folder}/ours_${compression}.mcap`, compression);
  expect(`${compression}: written`, packed.lines.join(), written.lines.join());
  const ours = new McapStreamReader({ validateCrcs: true, decompressHandlers });
  ours.append(readFileSync(`${folder}/ours_${compression}.mcap`));
  const found = [];
  let chunks = 0;
  for (let record; (record = ours.nextRecord()); ) {
    if (record.type === "Message") {
      found.push(hex(record.data));
    }
    chunks += record.type === "ChunkIndex" && record.compression === compression ? 1 : 0;
  }
  expect(`${compression}: messages`, found.join(), written.lines.map((l) => JSON.parse(l).data).join());
  expect(`${compression}: compressed chunks`, chunks > 10, true);
}
const lines = written.lines.map((line) => JSON.parse(line));
const bytes = readFileSync(path);

const channels = new Map();
const schemas = new Map();
const stream = new McapStreamReader({ validateCrcs: true });
stream.append(bytes);
let position = 0;
let hasDataEnd = false;
for (let record; (record = stream.nextRecord()); ) {
  if (record.type === "Channel") {
    channels.set(record.id, record);
    expect("encoding", record.messageEncoding, "cdr");
  } else if (record.type === "Schema") {
    schemas.set(record.id, record);
    expect("encoding of a schema", record.encoding, "ros2msg");
  } else if (record.type === "Message") {
    const line = lines[position++];
    expect(`stream, message ${position}`, keyOfPeer(record, channels, schemas), keyOfLine(line));
  } else if (record.type === "DataEnd") {
    hasDataEnd = true;
    const end = bytes.length - stream.bytesRemaining() - 13;
    expect("checksum of the data", record.dataSectionCrc, crc32(bytes.subarray(0, end)));
  }
}
expect("messages in the stream", position, lines.length);
expect("end of the data", hasDataEnd, true);
expect("end of the stream", stream.done(), true);

const indexed = await McapIndexedReader.Initialize({ readable: new TempBuffer(bytes) });
const sorted = [...lines].sort((a, b) => Number(BigInt(a.log) - BigInt(b.log)));
position = 0;
for await (const message of indexed.readMessages({ validateCrcs: true })) {
  const found = keyOfPeer(message, indexed.channelsById, indexed.schemasById);
  expect(`index, message ${position}`, found, keyOfLine(sorted[position++]));
}
expect("messages by index", position, lines.length);
expect("profile", indexed.header.profile, "ros2");
expect("statistics, messages", indexed.statistics.messageCount, BigInt(lines.length));
expect("statistics, chunks", indexed.statistics.chunkCount, indexed.chunkIndexes.length);
expect("statistics, channels", indexed.statistics.channelCount, channels.size);
expect("statistics, schemas", indexed.statistics.schemaCount, schemas.size);
expect("statistics, start", String(indexed.statistics.messageStartTime), sorted[0].log);
expect("statistics, end", String(indexed.statistics.messageEndTime), sorted.at(-1).log);
for (const [id, count] of indexed.statistics.channelMessageCounts) {
  const topic = channels.get(id).topic;
  expect(`statistics of ${topic}`, Number(count), lines.filter((m) => m.topic === topic).length);
}
for await (const { name, metadata } of indexed.readMetadata()) {
  expect("note", `${name} ${JSON.stringify([...metadata])}`, 'note [["first","1"],["second",""]]');
}
expect("notes", indexed.metadataIndexes.length, 1);
for (const topic of new Set(lines.map((m) => m.topic))) {
  const [start, end] = [1000000000n, 2000000000n];
  let count = 0;
  for await (const _ of indexed.readMessages({ topics: [topic], startTime: start, endTime: end })) {
    count++;
  }
  const inside = (m) => m.topic === topic && BigInt(m.log) >= start && BigInt(m.log) <= end;
  expect(`messages of ${topic} in a second`, count, lines.filter(inside).length);
}

// The definitions in the file are enough to read the messages.
const readers = new Map();
for (const schema of schemas.values()) {
  const definitions = parse(new TextDecoder().decode(schema.data), { ros2: true });
  const types = new Map(definitions.map((type) => [type.name, type]));
  const root = definitions.find((type) => type.name === undefined) ?? definitions[0];
  readers.set(schema.name, { reader: new MessageReader(definitions), types, root });
}
for (const line of lines) {
  const { reader, types, root } = readers.get(line.schema);
  const value = reader.readMessage(new Uint8Array(Buffer.from(line.data, "hex")));
  expect(line.topic, canonical(value), canonical(structToPeer(line.json, root, types, false)));
}

// ---- files of the peer ----

async function writePeer(name, options) {
  const buffer = new TempBuffer();
  const writer = new McapWriter({ writable: buffer, chunkSize: 5000, ...options });
  await writer.start({ profile: "x-peer", library: "peer" });
  const ids = new Map();
  for (const schema of schemas.values()) {
    const { name: schemaName, encoding, data } = schema;
    const schemaId = await writer.registerSchema({ name: schemaName, encoding, data });
    for (const { topic } of [...channels.values()].filter((c) => c.schemaId === schema.id)) {
      const channel = { schemaId, topic, messageEncoding: "cdr", metadata: new Map([["a", "b"]]) };
      ids.set(topic, await writer.registerChannel(channel));
    }
  }
  for (const [i, line] of lines.entries()) {
    if (i % 100 === 50) {
      await writer.addMetadata({ name: "between", metadata: new Map([["k", "v"]]) });
      const data = new Uint8Array(i);
      const attachment = { name: "a", logTime: 0n, createTime: 0n, mediaType: "b", data };
      await writer.addAttachment(attachment);
    }
    await writer.addMessage({
      channelId: ids.get(line.topic),
      sequence: line.sequence,
      logTime: BigInt(line.log),
      publishTime: BigInt(line.publish),
      data: new Uint8Array(Buffer.from(line.data, "hex")),
    });
  }
  await writer.end();
  writeFileSync(`${folder}/${name}.mcap`, buffer.get());
  return run("read", `${folder}/${name}.mcap`);
}

const bare = {
  repeatChannels: false,
  repeatSchemas: false,
  useAttachmentIndex: false,
  useChunkIndex: false,
  useMessageIndex: false,
  useMetadataIndex: false,
  useStatistics: false,
  useSummaryOffsets: false,
};
const variants = {
  chunked: {},
  unchunked: { useChunks: false },
  chunked_bare: bare,
  unchunked_bare: { ...bare, useChunks: false },
};
for (const [name, options] of Object.entries(variants)) {
  const read = await writePeer(name, options);
  expect(`${name}: ${read.errors}`, read.code, 0);
  expect(`${name}, lines`, read.lines.length, written.lines.length);
  read.lines.forEach((line, i) => expect(`${name}, message ${i}`, line, written.lines[i]));
}
for (const compression of ["lz4", "zstd"]) {
  const compress = filter(compression, "-c");
  const compressChunk = (data) => ({ compression, compressedData: compress(data) });
  const read = await writePeer(compression, { compressChunk });
  expect(`${compression}: ${read.errors}`, read.code, 0);
  expect(`${compression}, messages`, read.lines.join(), written.lines.join());
}
const refused = await writePeer("other", {
  compressChunk: (data) => ({ compression: "gzip", compressedData: data }),
});
expect("an unknown compression is refused", refused.code, 1);
expect("and reported", refused.errors.includes("compressed by 'gzip'"), true);

console.log(`mcap_compare: ${compared} comparisons, ${failures} failures`);
process.exit(failures === 0 && compared > 1000 ? 0 : 1);
