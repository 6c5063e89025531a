import assert from "node:assert/strict";
import { test } from "node:test";
import { plotted, rangeOf, tickLabels } from "../../src/system/curves";

test("unknown values are gaps and do not affect the rest", () => {
  assert.deepEqual(plotted(Float64Array.of(NaN, 1, 2), 10), [null, 10, 20]);
});

test("a range holds all values with a margin, and is never narrower than the least", () => {
  const [low, high] = rangeOf(1, 2, 0.1);
  assert.ok(low < 1 && low > 0.9 && high > 2 && high < 2.1);
  const [near, far] = rangeOf(5, 5, 0.1);
  assert.ok(far - near >= 0.1 && near < 5 && far > 5);
  assert.deepEqual(rangeOf(null, null, 0.1), [-0.1, 0.1]);
});

test("tick labels differ, however close the ticks are", () => {
  assert.deepEqual(tickLabels([-0.0005, -0, 0.0005], 0.0005), ["-0.0005", "0.0000", "0.0005"]);
  assert.deepEqual(tickLabels([-5, -2.5, 0], 2.5), ["-5.0", "-2.5", "0.0"]);
  assert.deepEqual(tickLabels([10, 20], 10), ["10", "20"]);
  const labels = tickLabels([0, 0.00025, 0.0005, 0.00075], 0.00025);
  assert.equal(new Set(labels).size, labels.length);
});
