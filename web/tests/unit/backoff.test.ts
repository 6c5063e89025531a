import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../src/foxglove/backoff";

test("delays double up to the limit, and restart after a success", () => {
  const backoff = new Backoff(100, 1000, () => 1);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map(() => backoff.next()),
    [100, 200, 400, 800, 1000, 1000],
  );
  backoff.reset();
  assert.equal(backoff.next(), 100);
});

test("no delay is shorter than three quarters of its step", () => {
  const backoff = new Backoff(100, 1000, () => 0);
  assert.equal(backoff.next(), 75);
  assert.equal(backoff.next(), 150);
});
