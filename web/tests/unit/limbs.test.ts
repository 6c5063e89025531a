import assert from "node:assert/strict";
import { test } from "node:test";
import { groupJoints, readLimbs, shortNames } from "../../src/system/limbs";

test("every joint is in one group, that of the first limb that contains it", () => {
  const chains = [
    { name: "nose", joints: ["h1", "h2"] },
    { name: "leg", joints: ["l1", "l2"] },
    { name: "head", joints: ["h1", "h2"] },
  ];
  assert.deepEqual(groupJoints(["h1", "h2", "l1", "l2", "tail"], chains, ["leg", "head"]), [
    { name: "leg", joints: ["l1", "l2"] },
    { name: "head", joints: ["h1", "h2"] },
    { name: "", joints: ["tail"] },
  ]);
});

test("names lose the words that they share, and nothing else", () => {
  assert.deepEqual(shortNames(["leg1_joint1", "leg1_joint2"]), ["joint1", "joint2"]);
  assert.deepEqual(shortNames(["left_hip", "left_hip_roll"]), ["hip", "hip_roll"]);
  assert.deepEqual(shortNames(["shoulder", "elbow"]), ["shoulder", "elbow"]);
  assert.deepEqual(shortNames(["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"]), [
    "shoulder_pan",
    "shoulder_lift",
    "elbow",
  ]);
  assert.deepEqual(shortNames(["left_hip_joint", "left_joint"]), ["hip_joint", "joint"]);
  assert.deepEqual(shortNames(["a_", "a_b"]), ["a_", "a_b"]);
  assert.deepEqual(shortNames(["alone_joint"]), ["alone_joint"]);
});

test("one answer lists the joints of all chains", () => {
  const answer = {
    chains: ["leg", "fixed", "head"],
    contacts: ["hoof", "", ""],
    joint_counts: [2, 0, 1],
    joints: ["l1", "l2", "h1"],
  };
  assert.deepEqual(readLimbs(answer), [
    { name: "leg", joints: ["l1", "l2"] },
    { name: "fixed", joints: [] },
    { name: "head", joints: ["h1"] },
  ]);
});
