import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import { outer } from "../../src/system/geometry";
import type { Pose, StepGoal } from "../../src/system/messages";
import { MoveBase } from "../../src/walk/move_base";
import { footprint, headingOf, readPlan, turnTo } from "../../src/walk/plan";
import { Signal } from "../../src/system/signal";

const at = (x: number, y: number, z: number, heading = 0): Pose => ({
  position: { x, y, z },
  orientation: turnTo(heading),
});
const near = (a: { x: number; y: number }, b: { x: number; y: number }) =>
  Math.hypot(a.x - b.x, a.y - b.y) < 1e-9;

/** A robot at (1, 2) that looks along y walks 0.2 m with one foot. */
const start = at(1, 2, 0.2, Math.PI / 2);
const goal = (frame_id: string): StepGoal => ({
  header: { stamp: { sec: 0, nanosec: 0 }, frame_id },
  time_from_start: new Float64Array([0, 0.5, 1.5]),
  base_motion: {
    name: "base_link",
    points: [0, 0.1, 0.2].map((x) => ({ pose: at(x, 0, 0.2), contact: false })),
  },
  ee_motion: [
    {
      name: "leg1",
      points: [
        { pose: at(0.1, 0.05, -0.2), contact: true },
        { pose: at(0.1, 0.05, -0.15), contact: false },
        { pose: at(0.1, 0.05, -0.2), contact: true },
      ],
    },
    {
      name: "leg2",
      points: [0.1, 0, -0.1].map((x) => ({ pose: at(x, -0.05, -0.2), contact: true })),
    },
  ],
});

test("a plan in the frame of the path is drawn in the world", () => {
  const plan = readPlan(goal("base_link_path"), start);
  assert.equal(plan.duration, 1.5);
  assert.ok(near(plan.path[2]!, { x: 1, y: 2.2 }));
  assert.deepEqual(
    plan.footholds.map(({ limb }) => limb),
    ["leg1"],
  );
  const expected = outer(at(1, 2.2, 0.2, Math.PI / 2), { x: 0.1, y: 0.05, z: -0.2 });
  assert.ok(near(plan.footholds[0]!.place, expected));
});

test("a plan in the world stays where it is", () => {
  const plan = readPlan(goal("odom"), start);
  assert.ok(near(plan.path[2]!, { x: 0.2, y: 0 }));
  assert.ok(near(plan.footholds[0]!.place, { x: 0.3, y: 0.05 }));
});

test("the heading of a tilted base is that of its footprint", () => {
  const heading = 2.5;
  assert.ok(Math.abs(headingOf(turnTo(heading)) - heading) < 1e-12);
  assert.equal(footprint(start).position.z, 0);
});

type Answers = Record<string, object[]>;

/** A cockpit whose planner gives these answers, the last one again and again. */
function makeMoveBase(answers: Answers) {
  const calls: { name: string; request: Record<string, unknown> }[] = [];
  const cockpit = {
    roles: { moveBase: { name: "move_base" } },
    mayChange: true,
    base: start,
    baseFrom: "truth",
    feet: ["leg1", "leg2"],
    client: {
      state: "open",
      subscribe: () => () => undefined,
      call: async (name: string, request: Record<string, unknown>) => {
        await Promise.resolve();
        calls.push({ name, request });
        const list = answers[name] ?? [{}];
        return list.length > 1 ? list.shift() : list[0];
      },
    },
    onRoles: new Signal(),
    onConnection: new Signal(),
  };
  return { moveBase: new MoveBase(cockpit as unknown as Cockpit), calls };
}
const settled = () => new Promise((done) => setTimeout(done, 5));

test("each place is planned, one question at a time, the last one always", async () => {
  const { moveBase, calls } = makeMoveBase({});
  moveBase.open();
  for (let i = 1; i <= 19; i++) {
    moveBase.move({ x: 1, y: 2 + 0.01 * i });
  }
  await settled();
  assert.ok(calls.length <= 3, `${calls.length} questions`);
  const { request } = calls.at(-1)!;
  assert.equal(request["visualize_only"], true);
  assert.equal(request["n_steps"], 2); // 0.19 m at half of the height of the base
  assert.ok(near((request["base_goal"] as Pose).position, { x: 1, y: 2.19 }));
  assert.equal((request["ee_goal"] as unknown[]).length, 2);
});

test("the handle on the ring sets the heading", async () => {
  const { moveBase, calls } = makeMoveBase({});
  moveBase.open();
  moveBase.face({ x: 2, y: 2 });
  await settled();
  const { request } = calls.at(-1)!;
  assert.ok(Math.abs(headingOf((request["base_goal"] as Pose).orientation)) < 1e-12);
  assert.equal(request["n_steps"], Math.ceil(Math.PI / 2 / 0.35));
});

test("a plan that fails says why, and a new place clears it", async () => {
  const failure = { error_code: -1, error_string: "leg1 does not reach its foothold" };
  const { moveBase } = makeMoveBase({ "/move_base/plan": [failure, { error_code: 0 }] });
  moveBase.open();
  moveBase.move({ x: 9, y: 9 });
  await settled();
  assert.equal(moveBase.failure, failure.error_string);
  moveBase.move({ x: 1, y: 2.1 });
  await settled();
  assert.equal(moveBase.failure, "");
});

test("going ends with the goal, and the reason of a failure stays", async () => {
  const { moveBase, calls } = makeMoveBase({
    "/move_base/move": [{ accepted: true, goal_id: 7 }],
    "/move_base/getGoal": [{ state: 2 }, { state: 6, error_code: -6, message: "it fell" }],
  });
  moveBase.open();
  const going = moveBase.go();
  assert.ok(moveBase.isMoving);
  await going;
  assert.deepEqual(calls.at(-1)!.request, { goal_id: 7 });
  assert.equal(moveBase.failure, "it fell");
  assert.ok(moveBase.place !== undefined && !moveBase.isMoving);
});
