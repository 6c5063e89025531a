import assert from "node:assert/strict";
import { test } from "node:test";
import { Body } from "../../src/system/body";
import type { Cockpit } from "../../src/system/cockpit";
import { Gaze } from "../../src/system/gaze";
import { ORIGIN, turnAbout } from "../../src/system/geometry";
import type { Pose } from "../../src/system/messages";

/** A cockpit with one controller that owns what it asks for. */
function makeCockpit(isGranted = true) {
  const sent: { topic: string; message: Record<string, unknown> }[] = [];
  const owned: string[] = [];
  const cockpit = {
    roles: { stance: { name: "stance" }, look: { name: "look", properties: [] } },
    isLegged: true,
    mayChange: true,
    base: ORIGIN,
    command: undefined as Pose | undefined,
    tips: new Map([["head", { ...ORIGIN, position: { x: 0.2, y: 0, z: 0.1 } }]]),
    ownedBy: () => owned,
    do: async () => {
      await Promise.resolve();
      if (isGranted) {
        owned.push("leg1");
        cockpit.command = {
          position: { x: 1, y: 0, z: 0 },
          orientation: turnAbout({ x: 0, y: 0, z: 1 }, Math.PI / 2),
        };
      }
      return isGranted;
    },
    client: {
      publish: (topic: string, message: Record<string, unknown>) => sent.push({ topic, message }),
    },
  };
  return { cockpit: cockpit as unknown as Cockpit, sent };
}

const settled = () => new Promise((done) => setImmediate(done));
const tick = (part: Body | Gaze) => (part as unknown as { tick: () => void }).tick();
const stop = (part: Body | Gaze) => (part as unknown as { stop: () => void }).stop();

const pose = (message: Record<string, unknown>) => (message["pose"] as Pose[])[0]!;

test("a dragged body goes to the pointer, in the world of the controller", async () => {
  const { cockpit, sent } = makeCockpit();
  const body = new Body(cockpit);
  assert.ok(body.begin());
  body.move({ x: 5, y: 5, z: 5 }); // the controller is not active yet: ignored
  await settled();
  body.move({ x: 0.1, y: 0, z: -0.02 }); // ahead of a base that looks along y
  tick(body);
  assert.equal(sent.at(-1)!.topic, "/stance/in_base_ref");
  const { position, orientation } = pose(sent.at(-1)!.message);
  assert.ok(Math.hypot(position.x - 1, position.y - 0.1, position.z + 0.02) < 1e-12);
  assert.ok(Math.abs(orientation.z - Math.SQRT1_2) < 1e-12);
  body.letGo();
  tick(body);
  assert.equal((body as unknown as { timer: unknown }).timer, undefined);
  assert.equal(body.goal, undefined);
  stop(body);
});

test("steps of the keyboard add up from the commanded base", async () => {
  const { cockpit, sent } = makeCockpit();
  const body = new Body(cockpit);
  body.nudge({ x: 0, y: 0, z: 0.01 });
  body.nudge({ x: 0, y: 0, z: 0.01 });
  await settled();
  tick(body);
  assert.ok(Math.abs(pose(sent.at(-1)!.message).position.z - 0.02) < 1e-12);
  stop(body);
});

test("a body that no controller may move stays", async () => {
  const { cockpit, sent } = makeCockpit(false);
  const body = new Body(cockpit);
  assert.ok(body.begin());
  await settled();
  body.move({ x: 0.1, y: 0, z: 0 });
  tick(body);
  assert.equal(sent.length, 0);
  assert.equal(body.isHeld, false);
  stop(body);
});

test("the point of the gaze begins ahead of the head and stays where it is put", async () => {
  const { cockpit, sent } = makeCockpit();
  const gaze = new Gaze(cockpit);
  assert.deepEqual(gaze.place, { x: 0.2 + gaze.distance, y: 0, z: 0.1 });
  assert.ok(gaze.begin());
  gaze.move({ x: 1, y: 1, z: 0 });
  await settled();
  tick(gaze);
  assert.deepEqual(sent.at(-1), {
    topic: "/look/in_point_ref",
    message: { point: { x: 1, y: 1, z: 0 } },
  });
  gaze.letGo();
  tick(gaze);
  assert.deepEqual(gaze.place, { x: 1, y: 1, z: 0 });
  stop(gaze);
});
