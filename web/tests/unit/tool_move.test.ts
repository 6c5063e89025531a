import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import { ORIGIN } from "../../src/system/geometry";
import type { Movements } from "../../src/system/movements";
import { Points } from "../../src/tool/points";
import { Signal } from "../../src/system/signal";
import { readPreview, ToolMove } from "../../src/tool/tool_move";
import type { Tools } from "../../src/tool/tools";

const PLAN = { success: true, duration: 2, joints: ["a", "b"], positions: [0, 0, 0.5, 1, 1, 2] };
const SHORT = { ...PLAN, success: false, message: "joint 'a' is at its limit of 1" };

interface Goal {
  targets: { kind: string; joints?: number[]; pose?: object }[];
  speed: number;
}

/** @param answers  by operation; a list is answered one by one, the last one again and again */
function makeMove(answers: Record<string, object[]>) {
  const calls: { operation: string; request: Goal }[] = [];
  const call = (service: string, request: Goal) => {
    const operation = service.split("/").at(-1)!;
    calls.push({ operation, request });
    const list = answers[operation] ?? [{}];
    return Promise.resolve(list.length > 1 ? list.shift() : list[0]);
  };
  const cockpit = {
    roles: { movements: { name: "movements" } },
    mayChange: true,
    stop: { stopped: false },
    client: { state: "open", call, hasService: () => false },
    desired: { positionOf: (name: string) => (name === "b" ? 0.7 : undefined) },
    onStop: new Signal(),
    onConnection: new Signal(),
    onNotice: new Signal<string>(),
  };
  const mover = { name: "tool", state: "running" };
  const tools = { current: { mover, joints: ["a", "b"] }, onChange: new Signal() };
  const move = new ToolMove(cockpit as unknown as Cockpit, tools as unknown as Tools);
  return { move, calls, cockpit, tools };
}

test("positions become poses, and what is left over is dropped", () => {
  const preview = readPreview({ ...PLAN, positions: [...PLAN.positions, 9] })!;
  assert.deepEqual(preview.poses, [
    [0, 0],
    [0.5, 1],
    [1, 2],
  ]);
  assert.equal(preview.reason, "");
  assert.equal(readPreview({ success: false, message: "no" }), undefined);
});

test("a moved gizmo is planned, and only the newest pose is asked for", async () => {
  const { move, calls } = makeMove({ planTool: [PLAN] });
  move.open(ORIGIN);
  for (let i = 1; i <= 5; i++) {
    move.move({ ...ORIGIN, position: { x: i, y: 0, z: 0 } });
  }
  await move.settled();
  const asked = calls.map(({ request }) => request.targets[0]!.pose as typeof ORIGIN);
  assert.deepEqual(asked.at(-1)!.position, { x: 5, y: 0, z: 0 });
  assert.ok(asked.length < 5, `${asked.length} questions`);
  assert.equal(move.preview?.duration, 2);
});

test("the motion that was shown is executed until its end", async () => {
  const { move, calls } = makeMove({
    planTool: [PLAN],
    moveTool: [{ accepted: true, goal_id: 7 }],
    getGoal: [{ state: 2 }, { state: 4 }],
  });
  move.open(ORIGIN);
  move.move(ORIGIN);
  await move.settled();
  await move.run();
  const { request } = calls.find(({ operation }) => operation === "moveTool")!;
  assert.equal(request.targets[0]!.kind, "lin");
  assert.equal(request.speed, 0.5);
  assert.equal(calls.filter(({ operation }) => operation === "getGoal").length, 2);
  assert.equal(move.isOpen, false);
});

test("a target out of reach shows why, and the nearest pose is the goal", async () => {
  const { move, calls } = makeMove({
    planTool: [SHORT],
    moveTool: [{ accepted: true, goal_id: 7 }],
    getGoal: [{ state: 4 }],
  });
  move.open(ORIGIN);
  move.move(ORIGIN);
  await move.settled();
  assert.equal(move.preview?.reason, SHORT.message);
  await move.run();
  const { targets } = calls.find(({ operation }) => operation === "moveTool")!.request;
  assert.equal(targets.length, 1);
  assert.equal(targets[0]!.kind, "ptp");
  assert.deepEqual(targets[0]!.joints, [1, 2]);
});

test("a motion into contact ends at the pose before it, on the same way", async () => {
  const { move, calls } = makeMove({
    planTool: [{ ...PLAN, success: false, message: "they would touch", until_contact: true }],
    moveTool: [{ accepted: true, goal_id: 7 }],
    getGoal: [{ state: 4 }],
  });
  move.open(ORIGIN);
  move.move(ORIGIN);
  await move.settled();
  assert.equal(move.obstacle, "they would touch");
  await move.run();
  const { targets } = calls.find(({ operation }) => operation === "moveTool")!.request;
  assert.deepEqual([targets[0]!.kind, targets[0]!.joints], ["lin", [1, 2]]);
});

test("a motion that ends early says why and with which joint", async () => {
  const { move } = makeMove({
    planTool: [PLAN],
    moveTool: [{ accepted: true, goal_id: 7 }],
    getGoal: [{ state: 6, error_code: -5, message: "did not get there", name: ["a"] }],
  });
  move.show([{ joints: [1, 2] }]);
  await move.settled();
  await move.run();
  assert.equal(move.failure, "did not get there: a");
});

test("a stop cancels the motion, and a lost connection forgets it", async () => {
  const { move, calls, cockpit } = makeMove({
    planTool: [PLAN],
    moveTool: [{ accepted: true, goal_id: 7 }],
    getGoal: [{ state: 2 }, { state: 5, message: "cancelled" }],
  });
  move.show([{ joints: [1, 2] }]);
  await move.settled();
  const end = move.run();
  cockpit.stop.stopped = true;
  cockpit.onStop.emit();
  assert.equal(move.isPossible, false);
  await end;
  assert.ok(calls.some(({ operation }) => operation === "cancel"));
  cockpit.client.state = "waiting";
  cockpit.onConnection.emit();
  assert.equal(move.isOpen, false);
});

test("points are passed in the order in which they were chosen", async () => {
  const { move, calls, cockpit } = makeMove({
    planTool: [PLAN],
    getPose: [
      { name: ["b", "a"], position: [2, 1] },
      { name: ["a"], position: [3] },
    ],
  });
  const pose = (name: string) => ({ name, kind: "joint_state", duration: 0 });
  const movements = {
    list: [pose("p1"), pose("p2"), { name: "p3", kind: "script", duration: 0 }],
    onChange: new Signal(),
  };
  const points = new Points(cockpit as unknown as Cockpit, movements as unknown as Movements, move);
  assert.deepEqual(points.names, ["p1", "p2"]);
  assert.equal(points.nextName, "p4");
  points.toggle("p2");
  points.toggle("p1");
  await points.show();
  await move.settled();
  const { targets } = calls.find(({ operation }) => operation === "planTool")!.request;
  assert.deepEqual(
    targets.map(({ joints }) => joints),
    [
      [1, 2],
      [3, 0.7], // b is not named: it stays
    ],
  );
  movements.list = [pose("p1")];
  movements.onChange.emit();
  assert.deepEqual(points.chosen, ["p1"]);
});
