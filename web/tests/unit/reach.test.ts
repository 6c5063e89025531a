import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import { lead, Reach, Stride } from "../../src/system/reach";

test("a target is on the straight line, at most one step away", () => {
  const from = { x: 1, y: 0, z: 0 };
  const step = lead(from, { x: 1, y: 3, z: 4 }, 1);
  assert.ok(Math.hypot(step.x - 1, step.y - 0.6, step.z - 0.8) < 1e-12);
  assert.deepEqual(lead(from, { x: 1.1, y: 0, z: 0 }, 1), { x: 1.1, y: 0, z: 0 });
  assert.deepEqual(lead(from, from, 1), from);
});

test("steps get shorter while the tip does not move, down to a limit, and longer while it follows", () => {
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

test("without messages the steps do not get shorter", async () => {
  const pose = (z: number) => ({
    position: { x: 0, y: 0, z },
    orientation: { x: 0, y: 0, z: 0, w: 1 },
  });
  const tips = new Map([["leg", pose(0)]]);
  const steps: number[] = [];
  const publish = (_: string, limbs: { pose: { position: { z: number } }[] }) =>
    steps.push(limbs.pose[0]!.position.z - tips.get("leg")!.position.z);
  const cockpit = {
    tips,
    chains: [],
    mayChange: true,
    roles: { inverse: { name: "inverse" }, reach: { name: "reach" } },
    do: () => Promise.resolve(true),
    client: { publish },
  };
  const reach = new Reach(cockpit as unknown as Cockpit);
  const tick = () => (reach as unknown as { tick: () => void }).tick();
  const { longest } = reach.stride;
  assert.ok(reach.begin("leg"));
  try {
    await Promise.resolve(); // the limb is taken
    reach.move({ x: 0, y: 0, z: 1 });
    for (let i = 0; i < 100; i++) {
      tick();
    }
    assert.deepEqual(steps, new Array(100).fill(longest));
    for (let i = 0; i < 100; i++) {
      tips.set("leg", pose(0)); // reports the same position
      tick();
    }
    assert.equal(steps.at(-1), longest / 32);
  } finally {
    tips.delete("leg");
    tick(); // ends its timer
  }
});
