import assert from "node:assert/strict";
import { test } from "node:test";
import { lead, Stride } from "../../src/system/reach";

test("a tip is led straight, and never farther than a step", () => {
  const from = { x: 1, y: 0, z: 0 };
  const step = lead(from, { x: 1, y: 3, z: 4 }, 1);
  assert.ok(Math.hypot(step.x - 1, step.y - 0.6, step.z - 0.8) < 1e-12);
  assert.deepEqual(lead(from, { x: 1.1, y: 0, z: 0 }, 1), { x: 1.1, y: 0, z: 0 });
  assert.deepEqual(lead(from, from, 1), from);
});

test("a tip that stays gets shorter steps, down to a limit; one that follows longer ones", () => {
  const stride = new Stride(0.032);
  let shortest = Infinity;
  for (let i = 0; i < 100; i++) {
    shortest = Math.min(shortest, stride.tick(0));
  }
  assert.ok(Math.abs(shortest - 0.001) < 1e-12, `${shortest}`);
  for (let i = 0; i < 100; i++) {
    stride.tick(0.001);
  }
  assert.equal(stride.length, 0.032);
});
