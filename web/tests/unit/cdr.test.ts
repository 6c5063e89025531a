// An environment variable names a file with test vectors of the C library (random messages of every type,
// as JSON and as bytes); without it only the other cases run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Message, readCdr, type Value, writeCdr } from "../../src/foxglove/cdr";
import { parseSchema } from "../../src/foxglove/schema";

interface Vectors {
  name: string;
  schema_ros2: string;
  messages: { json: unknown; cdr: string }[];
}

/** As the library prints it: no bigints, no typed arrays, null for non-finite numbers. */
function plain(value: Value): unknown {
  if (typeof value === "bigint") {
    return Number(value);
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? value : null;
  }
  if (value instanceof Float64Array) {
    return Array.from(value, plain);
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  }
  return value;
}

/** Single precision has fewer digits; null matches any non-finite number. */
function sameNumbers(actual: unknown, expected: unknown, where: string): void {
  if (typeof expected === "number" && typeof actual === "number") {
    assert.ok(
      Object.is(actual, expected) || Math.fround(actual) === Math.fround(expected),
      `${where}: ${actual} is not ${expected}`,
    );
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    assert.equal(actual.length, expected.length, where);
    expected.forEach((item, i) => sameNumbers(actual[i], item, `${where}[${i}]`));
  } else if (expected !== null && typeof expected === "object") {
    assert.deepEqual(Object.keys(actual as object), Object.keys(expected), where);
    for (const [key, item] of Object.entries(expected)) {
      sameNumbers((actual as Record<string, unknown>)[key], item, `${where}.${key}`);
    }
  } else {
    assert.equal(actual, expected, where);
  }
}

const file = process.env["SINEW_MSG_VECTORS"];
test(
  "every message of the library is decoded, and encoded to the same bytes",
  { skip: !file },
  () => {
    let compared = 0;
    for (const line of readFileSync(file!, "utf8").trim().split("\n")) {
      const vectors = JSON.parse(line) as Vectors;
      const type = parseSchema(vectors.name, vectors.schema_ros2);
      vectors.messages.forEach((vector, i) => {
        const bytes = new Uint8Array(Buffer.from(vector.cdr, "hex"));
        const message = readCdr(type, bytes);
        sameNumbers(plain(message), vector.json, `${vectors.name} ${i}`);
        assert.equal(
          Buffer.from(writeCdr(type, message)).toString("hex"),
          vector.cdr,
          vectors.name,
        );
        compared++;
      });
    }
    assert.ok(compared > 100, `${compared} messages`);
  },
);

test("truncated bytes are an error, wherever they end", () => {
  const type = parseSchema("t/T", "string[] name\nfloat64[] position\nuint8 last");
  const whole = writeCdr(type, { name: ["a", "bcd"], position: [1, 2], last: 3 });
  assert.equal(readCdr(type, whole)["last"], 3);
  for (let size = 0; size < whole.byteLength; size++) {
    assert.throws(() => readCdr(type, whole.subarray(0, size)), RangeError, `${size} bytes`);
  }
});

test("a length of four thousand million is rejected before memory is allocated", () => {
  const type = parseSchema("t/T", "float64[] position");
  const bytes = new Uint8Array([0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff]);
  assert.throws(() => readCdr(type, bytes), /do not fit/);
});

test("big-endian bytes are decoded", () => {
  const type = parseSchema("t/T", "uint16 a\nint32 b");
  const bytes = new Uint8Array([0, 0, 0, 0, 0x12, 0x34, 0, 0, 0xff, 0xff, 0xff, 0xfe]);
  assert.deepEqual(readCdr(type, bytes), { a: 0x1234, b: -2 } as Message);
});
