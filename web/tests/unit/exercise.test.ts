import assert from "node:assert/strict";
import { test } from "node:test";
import { planSwing, swing } from "../../src/system/exercise";

test("a swing stays within limits, wherever the joint is", () => {
  const limits = { lower: -0.4, upper: 0.9 };
  for (const now of [-0.4, 0, 0.5, 0.9]) {
    for (const most of [0.1, 0.5, 5]) {
      const plan = planSwing("a", now, limits, most);
      for (let s = 0; s < 60; s += 0.01) {
        const { position } = swing(plan, 3, s);
        assert.ok(position >= limits.lower && position <= limits.upper, `${now} ${most} ${s}`);
      }
    }
  }
});

test("the velocity is the slope of the position", () => {
  const plan = planSwing("a", 0.2, { lower: -1, upper: 1 }, 0.3);
  for (let s = 0.01; s < 10; s += 0.137) {
    const slope = (swing(plan, 2, s + 1e-6).position - swing(plan, 2, s - 1e-6).position) / 2e-6;
    // Except at the end of the fade-in, where the slope has a step.
    if (Math.abs(s - 1.5) > 1e-3) {
      assert.ok(Math.abs(slope - swing(plan, 2, s).velocity) < 1e-6, `at ${s}`);
    }
  }
});

test("a swing begins at its centre", () => {
  assert.equal(swing({ joint: "a", centre: 0.25, amplitude: 1 }, 0, 0).position, 0.25);
});
