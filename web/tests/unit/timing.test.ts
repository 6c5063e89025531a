import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, octaves } from "../../src/system/timing";

test("bars hold all that buckets hold, and gaps between them are bars too", () => {
  const buckets: [number, number][] = [
    [1000, 3],
    [1024, 4],
    [1100, 5],
    [9000, 1],
  ];
  const bars = octaves(buckets);
  assert.equal(
    bars.reduce((sum, bar) => sum + bar.count, 0),
    13,
  );
  for (const [edge] of buckets) {
    assert.ok(
      bars.some((bar) => bar.fromNs <= edge * 1.0001 && edge < bar.fromNs * Math.SQRT2 * 1.0001),
      String(edge),
    );
  }
  bars.slice(1).forEach((bar, i) => {
    assert.ok(Math.abs(bar.fromNs / bars[i]!.fromNs - Math.SQRT2) < 1e-9);
  });
  assert.deepEqual(octaves([]), []);
});

test("durations have three digits and a unit", () => {
  assert.deepEqual([0, 999, 1000, 25400, 1234567, 2e9].map(duration), [
    "0 ns",
    "999 ns",
    "1.00 µs",
    "25.4 µs",
    "1.23 ms",
    "2.00 s",
  ]);
});
