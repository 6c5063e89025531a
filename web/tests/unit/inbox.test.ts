import assert from "node:assert/strict";
import { test } from "node:test";
import { Inbox } from "../../src/foxglove/inbox";

/** A message of a subscription, as the server sends it. */
function message(subscription: number, number: number): ArrayBuffer {
  const data = new ArrayBuffer(14);
  const view = new DataView(data);
  view.setUint8(0, 1);
  view.setUint32(1, subscription, true);
  view.setUint8(13, number);
  return data;
}

const numbers = (delivered: unknown[]) =>
  delivered.map((data) => (data instanceof ArrayBuffer ? new Uint8Array(data)[13] : data));

test("a page that was busy gets the newest messages of each output, and all of the rest", () => {
  const delivered: unknown[] = [];
  const calls: (() => void)[] = [];
  const inbox = new Inbox(
    (data) => delivered.push(data),
    (subscription) => subscription === 1,
    (call) => calls.push(call),
  );
  for (let i = 0; i < 100; i++) {
    inbox.add(message(1, i));
    inbox.add(message(2, 100 + i));
  }
  inbox.add("text");
  assert.equal(calls.length, 1);
  calls[0]!();
  const got = numbers(delivered);
  assert.deepEqual(
    got.filter((number) => Number(number) < 100),
    Array.from({ length: 20 }, (_, i) => 80 + i),
  );
  assert.equal(got.filter((number) => Number(number) >= 100).length, 100);
  assert.equal(got.at(-1), "text");
  assert.deepEqual(got.slice(-3, -1), [99, 199]); // in the order of arrival
});

test("what arrives while messages are delivered waits for the next time", () => {
  const delivered: unknown[] = [];
  const calls: (() => void)[] = [];
  const inbox: Inbox = new Inbox(
    (data) => {
      delivered.push(data);
      if (data === "first") {
        inbox.add("second");
      }
    },
    () => true,
    (call) => calls.push(call),
  );
  inbox.add("first");
  calls.shift()!();
  assert.deepEqual(delivered, ["first"]);
  inbox.drop();
  calls.shift()!();
  assert.deepEqual(delivered, ["first"]);
});
