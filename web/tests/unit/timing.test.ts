import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, octaves, overload } from "../../src/system/timing";

test("bars contain the counts of all buckets, and gaps are bars too", () => {
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

test("an overloaded computer is reported with numbers", () => {
  const distribution = { count: 0, mean_ns: 0, p50_ns: 0, p99_ns: 0, max_ns: 0 };
  const activity = {
    name: "control",
    period_ns: 1e6,
    cycles: 9,
    overruns: 3,
    skipped: 5,
    lateness: distribution,
    duration: distribution,
  };
  const text = (more: object) => overload({ activities: [{ ...activity, ...more }] });
  assert.equal(text({}), "");
  assert.equal(text({ late: false, lost: 1 }), "");
  assert.equal(text({ late: true, lost: 640, overran: 3 }), "control: 640 of 1000 cycles lost");
  assert.equal(text({ late: true, lost: 0, overran: 7 }), "control: 7 of 1000 cycles too long");
  assert.equal(text({ late: true, lost: 0, overran: 0 }), "control: no cycles");
});
