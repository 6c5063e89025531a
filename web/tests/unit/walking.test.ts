import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import type { Twist } from "../../src/system/messages";
import { Signal } from "../../src/system/signal";
import { isWalkKey, ofAxes, ofKeys, ofStick } from "../../src/walk/walk_input";
import { REST, Walking } from "../../src/walk/walking";

function makeCockpit() {
  const sent: { topic: string; message: Twist }[] = [];
  const cockpit = {
    roles: {
      walk: {
        name: "walk",
        state: "running",
        properties: [
          { name: "speed_x_max", value: 0.3 },
          { name: "turn_max", value: 0.8 },
        ],
      },
    },
    mayChange: true,
    stop: { stopped: false },
    fall: undefined,
    client: {
      state: "open",
      publish: (topic: string, message: Twist) => sent.push({ topic, message }),
    },
    onStop: new Signal(),
    onFall: new Signal(),
    onRoles: new Signal(),
    onConnection: new Signal(),
  };
  return { cockpit, walking: new Walking(cockpit as unknown as Cockpit), sent };
}

test("opposite keys cancel, and other keys mean nothing", () => {
  assert.deepEqual(ofKeys(["KeyW", "KeyA"]), { forward: 1, left: 0, turn: 1 });
  assert.deepEqual(ofKeys(["KeyW", "ArrowUp"]), { forward: 1, left: 0, turn: 0 });
  assert.deepEqual(ofKeys(["KeyW", "ArrowDown", "KeyE"]), { forward: 0, left: -1, turn: 0 });
  assert.deepEqual(ofKeys(["Space"]), REST);
  assert.equal(isWalkKey("Space") || isWalkKey("KeyT") || isWalkKey("constructor"), false);
});

test("sticks rest in their dead zone and reach the highest speed", () => {
  assert.deepEqual(ofAxes([0.1, -0.1, 0.1]), REST);
  assert.deepEqual(ofAxes([1, -1, -1]), { forward: 1, left: -1, turn: 1 });
  assert.deepEqual(ofAxes([NaN, 5, 0]), { forward: -1, left: 0, turn: 0 });
  assert.deepEqual(ofAxes([]), REST);
  assert.deepEqual(ofStick(-1, 0), { forward: 0, left: 0, turn: 1 });
  const { forward } = ofStick(0, -0.6);
  assert.ok(forward > 0.3 && forward < 0.6);
});

test("a command is repeated while it lasts, and its end is sent once", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  const { walking, sent } = makeCockpit();
  walking.set("keys", { forward: 1, left: 0, turn: 0 });
  assert.deepEqual(sent, [
    {
      topic: "/walk/in_cmd_vel",
      message: { linear: { x: 0.3, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } },
    },
  ]);
  mock.timers.tick(1000);
  assert.ok(sent.length > 10 && sent.length <= 21, `${sent.length} messages in a second`);
  walking.set("keys", REST);
  const count = sent.length;
  assert.deepEqual(sent.at(-1)!.message.linear, { x: 0, y: 0, z: 0 });
  mock.timers.tick(1000);
  assert.equal(sent.length, count);
  mock.timers.reset();
});

test("sources add up to the highest speed, and share limits it", () => {
  const { walking, sent } = makeCockpit();
  walking.share = 0.5;
  walking.set("keys", { forward: 1, left: 0, turn: 0 });
  walking.set("stick", { forward: 1, left: 0, turn: -0.5 });
  assert.deepEqual(walking.command, { forward: 1, left: 0, turn: -0.5 });
  walking.set("keys", REST);
  walking.release();
  assert.equal(sent[0]!.message.linear.x, 0.15);
  assert.equal(sent.at(-1)!.message.linear.x, 0);
  assert.equal(walking.twist({ ...REST, turn: 1 }).angular.z, 0.4);
});

test("a stop, a fall or a lost connection ends the command", () => {
  const { cockpit, walking, sent } = makeCockpit();
  walking.set("keys", { forward: 1, left: 0, turn: 0 });
  cockpit.stop.stopped = true;
  cockpit.onStop.emit();
  assert.deepEqual(walking.command, REST);
  assert.equal(sent.at(-1)!.message.linear.x, 0);
  const count = sent.length;
  walking.set("keys", { forward: 1, left: 0, turn: 0 });
  assert.equal(sent.length, count);
});
