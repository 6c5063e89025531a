import assert from "node:assert/strict";
import { test } from "node:test";
import { effectiveLimits, FREE } from "../../src/system/limits";

const joint = { type: "revolute", hasLimit: true, lower: -1, upper: 2 };

test("the tighter of hard and soft limits applies", () => {
  const { lower, upper, isAngle, isBounded } = effectiveLimits({
    ...joint,
    softLower: -0.5,
    softUpper: 3,
  });
  assert.deepEqual([lower, upper, isAngle, isBounded], [-0.5, 2, true, true]);
});

test("missing attributes are ignored", () => {
  const range = (text: object) => {
    const { lower, upper } = effectiveLimits({ ...joint, ...text });
    return [lower, upper];
  };
  assert.deepEqual(range({}), [-1, 2]);
  assert.deepEqual(range({ softUpper: 1 }), [-1, 1]);
  assert.deepEqual(range({ softLower: NaN }), [-1, 2]);
  assert.deepEqual(range({ softLower: 5 }), [-1, 2]); // an empty range: the file is invalid
});

test("a continuous joint has one turn, whatever its soft limits", () => {
  assert.equal(effectiveLimits({ ...joint, type: "continuous", softLower: -0.1 }), FREE);
  assert.equal(effectiveLimits({ type: "prismatic", hasLimit: false }).isAngle, false);
});
