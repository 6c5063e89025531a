import assert from "node:assert/strict";
import { test } from "node:test";
import { type ComponentInfo, findRoles, path } from "../../src/system/components";

function component(name: string, type: string, more: Partial<ComponentInfo> = {}): ComponentInfo {
  const base = { state: "running" as const, trouble: null, doc: "" };
  return { name, type, ...base, properties: [], ports: [], operations: [], ...more };
}
const input = (name: string, ...peers: string[]) => ({
  name,
  kind: "in" as const,
  type: "",
  connections: peers.map((peer) => ({ peer })),
});
const controller = (name: string, ...peers: string[]) =>
  component(name, "FollowJointState", {
    ports: [input("in_joints_ref", ...peers)],
    operations: [{ name: "setOperational", doc: "" }],
  });

test("sliders use the follower whose reference no component writes", () => {
  const hold = controller("hold");
  hold.properties = [{ name: "start_operational", value: true }];
  const inverse = component("ik", "kinematics_inv", { ports: [input("limbs_ref", "outside")] });
  const roles = findRoles([
    hold,
    controller("gait", "planner.out"),
    controller("arm", "ik.joints_ref"),
    controller("manual", "outside"),
    inverse,
  ]);
  assert.equal(roles.sliders?.name, "manual");
  assert.equal(roles.reach?.name, "arm");
  assert.equal(roles.inverse, inverse);
  assert.equal(roles.controllers.length, 4);
});

test("missing components have no role", () => {
  const roles = findRoles([component("timer", "timer")]);
  assert.deepEqual(Object.keys(roles), ["controllers", "calibrators", "movers", "joggers"]);
});

test("inverse kinematics whose reference a component writes is not used", () => {
  const inverse = component("ik", "kinematics_inv", { ports: [input("limbs_ref", "gait.out")] });
  assert.equal(findRoles([inverse, controller("arm", "ik.joints_ref")]).reach, undefined);
});

test("dots in component names become slashes", () => {
  assert.equal(path(component("follow.smoothing", "x"), "out"), "/follow/smoothing/out");
});

test("roles of walking follow from types, ports and operations", () => {
  const roles = findRoles([
    component("legs", "Walk"),
    component("planner", "MoveBase"),
    component("estimator", "state_estimator", {
      ports: [{ name: "fall", kind: "out", type: "FallState", connections: [] }],
    }),
    component("library", "movements", { operations: [{ name: "listMovements", doc: "" }] }),
    component("plant", "plant", { operations: [{ name: "putOnFeet", doc: "" }] }),
  ]);
  assert.equal(roles.walk?.name, "legs");
  assert.equal(roles.moveBase?.name, "planner");
  assert.equal(roles.fall?.name, "estimator");
  assert.equal(roles.movements?.name, "library");
  assert.equal(roles.upright?.name, "plant");
});
