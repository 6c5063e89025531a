// Rules of the sliders, with a fake connection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cockpit } from "../../src/system/cockpit";
import type { ComponentInfo } from "../../src/system/components";
import type { JointState } from "../../src/system/messages";
import { Sliders } from "../../src/system/sliders";

function state(values: Record<string, number>): JointState {
  return {
    header: { stamp: { sec: 0, nanosec: 0 }, frame_id: "" },
    name: Object.keys(values),
    position: Float64Array.from(Object.values(values)),
    velocity: new Float64Array(),
    effort: new Float64Array(),
  };
}

interface Sent {
  name: string[];
  position: number[];
}

function rig(owner: string) {
  const cockpit = new Cockpit(() => {
    throw new Error("this test does not connect");
  });
  const sent: Sent[] = [];
  const connection = { state: "open" };
  Object.defineProperty(cockpit.client, "state", { get: () => connection.state });
  cockpit.client.publish = (_topic: string, message: unknown) => sent.push(message as Sent) > 0;
  cockpit.roles = {
    controllers: [],
    calibrators: [],
    movers: [],
    joggers: [],
    sliders: { name: "follow" } as ComponentInfo,
  };
  cockpit.limbs = [{ name: "arm", joints: ["a", "b"] }];
  cockpit.owners.set("arm", owner);
  const clock = { ms: 10000 };
  const sliders = new Sliders(cockpit, () => clock.ms);
  const pose = (values: Record<string, number>) => {
    cockpit.desired.take(state(values), 0n);
    cockpit.onPose.emit();
  };
  pose({ a: 0.1, b: 0.2 });
  return { cockpit, sliders, sent, clock, pose, connection };
}

test("only what was moved is sent, once", () => {
  const { sliders, sent } = rig("follow");
  assert.ok(sliders.set("arm", "a", 0.5));
  assert.ok(sliders.set("arm", "a", 0.6));
  sliders.flush();
  sliders.flush();
  assert.deepEqual(sent, [{ name: ["a"], position: [0.6] }]);
  assert.equal(sliders.value("a"), 0.6);
  assert.equal(sliders.value("b"), 0.2);
});

test("nothing is sent for a limb of another controller, without a connection, or without a number", () => {
  const { cockpit, sliders, sent, connection } = rig("hold");
  assert.equal(sliders.set("arm", "a", 0.5), false);
  cockpit.owners.set("arm", "follow");
  assert.equal(sliders.set("arm", "a", NaN), false);
  connection.state = "waiting";
  assert.equal(sliders.set("arm", "a", 0.5), false);
  sliders.flush();
  assert.deepEqual(sent, []);
});

test("while a pose is adopted nothing moves, and old targets are discarded", () => {
  const { cockpit, sliders, sent, clock } = rig("follow");
  sliders.set("arm", "a", 0.5);
  cockpit.onReset.emit(state({ a: 0.1, b: 0.2 }));
  sliders.flush();
  assert.deepEqual(sent, [], "what was not sent yet is not sent any more");
  assert.equal(sliders.value("a"), 0.1);
  assert.equal(sliders.set("arm", "a", 0.5), false);
  clock.ms += 200;
  cockpit.onReset.emit(state({ a: 0.1, b: 0.2 }));
  clock.ms += 200;
  assert.ok(sliders.isAdopting, "as long as the controller asks for it");
  clock.ms += 200;
  assert.ok(!sliders.isAdopting);
  assert.ok(sliders.set("arm", "a", 0.5));
});

test("a target that is set during a hand-over survives late requests to adopt the pose", () => {
  const { cockpit, sliders, sent, clock } = rig("follow");
  cockpit.onReset.emit(state({ a: 0.1, b: 0.2 }));
  clock.ms += 400; // a slow page: the next request is late
  assert.ok(sliders.set("arm", "a", 0.5));
  sliders.flush();
  cockpit.onReset.emit(state({ a: 0.1, b: 0.2 }));
  assert.equal(sliders.value("a"), 0.5);
  sliders.flush();
  assert.equal(sent.length, 1, "not while the pose is adopted");
  clock.ms += 400;
  sliders.flush();
  assert.deepEqual(sent.at(-1), { name: ["a"], position: [0.5] });
  assert.equal(sent.length, 2);
  clock.ms += 5000;
  cockpit.onReset.emit(state({ a: 0.1, b: 0.2 }));
  assert.equal(sliders.value("a"), 0.1, "the next hand-over discards it");
});

test("a target is kept until it is reached; then the slider follows the commanded pose", () => {
  const { sliders, clock, pose } = rig("follow");
  sliders.set("arm", "a", 0.5);
  clock.ms += 1000;
  pose({ a: 0.3, b: 0.2 });
  assert.equal(sliders.value("a"), 0.5);
  pose({ a: 0.5, b: 0.2 });
  pose({ a: 0.7, b: 0.2 });
  assert.equal(sliders.value("a"), 0.7);
});

test("a limb that is lost loses its targets", () => {
  const { cockpit, sliders } = rig("follow");
  sliders.set("arm", "a", 0.5);
  cockpit.owners.set("arm", "hold");
  cockpit.onOwners.emit();
  assert.equal(sliders.value("a"), 0.1);
});

test("a limb that was just taken waits for the pose to adopt", () => {
  const { cockpit, sliders, clock } = rig("hold");
  cockpit.onOwners.emit();
  cockpit.owners.set("arm", "follow");
  cockpit.onOwners.emit();
  assert.equal(sliders.set("arm", "a", 0.5), false);
  cockpit.onReset.emit(state({ a: 0.1, b: 0.2 }));
  clock.ms += 400;
  cockpit.onOwners.emit(); // nothing new
  assert.ok(sliders.set("arm", "a", 0.5));
});
