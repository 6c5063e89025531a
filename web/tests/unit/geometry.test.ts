import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inner,
  length,
  minus,
  outer,
  rotate,
  turnAbout,
  turnAfter,
} from "../../src/system/geometry";

const z = { x: 0, y: 0, z: 1 };
const pose = {
  position: { x: 1, y: -2, z: 0.5 },
  orientation: turnAfter(turnAbout(z, 0.7), turnAbout({ x: 1, y: 0, z: 0 }, -0.3)),
};

test("a quarter turn about z carries x to y", () => {
  const to = rotate(turnAbout(z, Math.PI / 2), { x: 1, y: 0, z: 0 });
  assert.ok(length(minus(to, { x: 0, y: 1, z: 0 })) < 1e-12);
});

test("turns add up, the second argument first", () => {
  const p = { x: 0.3, y: -0.2, z: 0.9 };
  const a = turnAbout(z, 0.4);
  const b = turnAbout({ x: 0, y: 1, z: 0 }, 1.1);
  assert.ok(length(minus(rotate(turnAfter(a, b), p), rotate(a, rotate(b, p)))) < 1e-12);
});

test("inner is the inverse of outer", () => {
  const p = { x: 0.3, y: -0.2, z: 0.9 };
  assert.ok(length(minus(inner(pose, outer(pose, p)), p)) < 1e-12);
  assert.ok(length(minus(outer(pose, { x: 0, y: 0, z: 0 }), pose.position)) < 1e-12);
});
