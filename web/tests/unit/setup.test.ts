import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { changes } from "../../src/setup/diff";
import { gripperNames } from "../../src/setup/limbs_card";
import {
  changeLimb,
  placeOf,
  readProperties,
  removeLimb,
  renameLimb,
  setLimit,
  setPose,
} from "../../src/setup/properties";
import { Tree } from "../../src/setup/tree";
import { type Plain, renameKey, setValue } from "../../src/setup/yaml_edit";
import { isBag, readYaml, type Value } from "../../src/setup/yaml_read";

const robots = process.env["SINEW_ROBOTS"]!; // set by run_unit.mjs

function plain(value: Value): Plain {
  return isBag(value)
    ? Object.fromEntries(value.entries.map((entry) => [entry.key, plain(entry.value)]))
    : Array.isArray(value)
      ? value.map(plain)
      : value;
}

test("blocks and brackets, quotes and comments", () => {
  const text = `# a robot
robot: 'it''s.urdf' # its file
"odd key": {a: [1, -2.5], b: "x # y: z", c: {}}
list:
- one
- [2, 3]
deep:
    er:
        est: plain text
several: {a: 1,
  b: 2}
empty:
`;
  assert.deepEqual(plain(readYaml(text)), {
    robot: "it's.urdf",
    "odd key": { a: ["1", "-2.5"], b: "x # y: z", c: {} },
    list: ["one", ["2", "3"]],
    deep: { er: { est: "plain text" } },
    several: { a: "1", b: "2" },
    empty: "",
  });
  assert.deepEqual(plain(readYaml("")), {});
});

test("what it does not know is an error with its line", () => {
  for (const [text, line] of [
    ["a: &x 1", 1],
    ["a: 1\nb: |\n  text", 2],
    ["a: 1\n\n  b: 2", 3],
    ["a:\n\tb: 1", 2],
    ["a: [1, 2", 1],
    ["a: {b 1}", 1],
    ["a: 1\na: 2", 2],
    ["- a", 1],
    ["a:\n  - b: 1", 2],
    ["  a: 1\nb: 2", 2],
    ["just a text", 1],
  ] as const) {
    assert.throws(() => readYaml(text), new RegExp(`line ${line}: `), text);
  }
});

test("one entry is changed, and every other line stays", () => {
  const text = "# top\na: # why\n  b: 1 # one\n  c: {d: 2}\n\n# end\n";
  assert.equal(setValue(text, ["a", "b"], 5), text.replace("b: 1 # one", "b: 5"));
  assert.equal(setValue(text, ["a", "c", "e"], 3), text.replace("{d: 2}", "{d: 2, e: 3}"));
  assert.equal(setValue(text, ["a", "n"], "x"), text.replace("{d: 2}", "{d: 2}\n  n: x"));
  assert.equal(setValue(text, ["a", "c", "d"], undefined), text.replace("  c: {d: 2}\n", ""));
  assert.equal(
    setValue(text, ["new", "x"], { y: "z" }),
    text.replace("2}", "2}\n\nnew:\n  x:\n    y: z"),
  );
  assert.equal(setValue(text, ["none"], undefined), text);
  const alone = setValue(setValue(text, ["a", "b"], undefined), ["a", "c"], undefined);
  assert.equal(alone, "# top\n\n# end\n"); // an empty section would mean something else
  assert.equal(renameKey(text, ["a", "b"], "yes"), text.replace("b: 1", "'yes': 1"));
  assert.equal(renameKey(text, ["a", "c", "d"], "e"), text.replace("{d: 2}", "{e: 2}"));
});

test("what is written is read back, whatever it is called", () => {
  for (const name of ["a", "1", "true", "a: b", "#x", "it's", "", " x", "[", "-", "1e5", "ärm"]) {
    const value = { [name]: { text: name, list: [name, 2], numbers: { [name]: 1 } } };
    const read = plain(readYaml(setValue("robot: x.urdf\n", ["part"], value)));
    const expected = JSON.parse(JSON.stringify(value), (_, item: unknown) =>
      typeof item === "number" ? String(item) : item,
    ) as Plain;
    assert.deepEqual(read, { robot: "x.urdf", part: expected }, name);
  }
});

test("the robots of the tree are read, and change back to what they were", () => {
  for (const robot of ["arm6", "arm7", "arm_ur", "desk_arm", "quadruped"]) {
    const text = readFileSync(join(robots, `${robot}.yaml`), "utf8");
    const { limbs } = readProperties(text);
    assert.ok(limbs !== undefined && limbs.length > 0, robot);
    for (const limb of limbs) {
      assert.match(text, new RegExp(`\\b${limb.first}\\b`));
      const renamed = renameLimb(text, limb.name, "other");
      assert.notEqual(renamed, text);
      assert.equal(renameLimb(renamed, "other", limb.name), text, robot);
    }
    const posed = setPose(text, "a_new_one", new Map([["j", 0.5]]));
    assert.equal(readProperties(posed).poses.get("a_new_one")?.get("j"), 0.5);
  }
});

test("limbs take their groups along", () => {
  const text = `chains:
  arm: {first_link: base, last_link: tool, last_link_virtual: tip}
  head: {first_link: base, last_link: face}
groups:
  all: {chains: [arm, head]}
  one: {chains: [arm]}
`;
  const renamed = plain(readYaml(renameLimb(text, "arm", "left"))) as Record<string, Plain>;
  assert.deepEqual(renamed["groups"], {
    all: { chains: ["left", "head"] },
    one: { chains: ["left"] },
  });
  const removed = plain(readYaml(removeLimb(text, "arm"))) as Record<string, Plain>;
  assert.deepEqual(removed["groups"], { all: { chains: ["head"] } });
  assert.deepEqual(removed["chains"], { head: { first_link: "base", last_link: "face" } });
  const arm = readProperties(text).limbs![0]!;
  const shorter = changeLimb(text, arm, { ...arm, last: "wrist" });
  assert.match(shorter, /^ {2}arm:\n {4}first_link: base\n {4}last_link: wrist\n {2}head/m);
});

test("smaller limits come and go", () => {
  const text = "robot: x.urdf\n";
  const set = setLimit(setLimit(text, "elbow", "lower", -1), "elbow", "velocity", 0.5);
  assert.deepEqual(readProperties(set).limits.get("elbow"), { lower: -1, velocity: 0.5 });
  const less = setLimit(set, "elbow", "lower", undefined);
  assert.deepEqual(readProperties(less).limits.get("elbow"), { velocity: 0.5 });
  assert.equal(setLimit(less, "elbow", "velocity", undefined).trim(), text.trim());
});

test("a line belongs to an entry of a section", () => {
  const text = "robot: x\n\nposes:\n  home: {a: 1}\n  rest: {a: 2,\n    b: 1}\n";
  assert.deepEqual(placeOf(text, 1), ["robot"]);
  assert.deepEqual(placeOf(text, 2), []);
  assert.deepEqual(placeOf(text, 4), ["poses", "home"]);
  assert.deepEqual(placeOf(text, 6), ["poses", "rest"]);
});

test("one limb is the gripper", () => {
  const limb = (name: string) => ({ name, first: "", last: "", contact: "" });
  const names = (limbs: string[], chosen: string) =>
    Object.fromEntries(gripperNames(limbs.map(limb), chosen));
  assert.deepEqual(names(["arm", "hand"], "hand"), { hand: "gripper" });
  assert.deepEqual(names(["arm", "gripper"], "gripper"), {});
  assert.deepEqual(names(["arm", "gripper"], ""), { gripper: "hand" });
  assert.deepEqual(names(["hand", "gripper"], "hand"), { gripper: "hand1", hand: "gripper" });
  assert.deepEqual(names(["left_gripper", "claw"], "claw"), {
    left_gripper: "left",
    claw: "gripper",
  });
});

test("a limb goes down the tree and has a joint that moves", () => {
  const tree = new Tree({
    links: ["base", "upper", "mount", "tool", "head"],
    parents: [-1, 0, 1, 2, 0],
    joints: ["", "elbow", "fix", "wrist", "neck"],
    types: ["", "revolute", "fixed", "continuous", "revolute"],
  });
  assert.deepEqual(tree.joints("base", "tool"), ["elbow", "wrist"]);
  assert.deepEqual(tree.joints("upper", "mount"), []);
  assert.equal(tree.joints("head", "tool"), undefined);
  assert.equal(tree.joints("base", "nowhere"), undefined);
  assert.deepEqual(
    tree.below("upper").map(({ name }) => name),
    ["tool"],
  );
  assert.deepEqual(
    tree.links.map(({ depth }) => depth),
    [0, 1, 2, 3, 1],
  );
});

test("changes lead from one text to the other", () => {
  for (const [before, after] of [
    ["a\nb\nc", "a\nc\nd"],
    ["", "x"],
    ["same", "same"],
    ["a\nb", ""],
  ] as const) {
    const list = changes(before, after);
    const lines = (left: string) =>
      list.filter(({ kind }) => kind !== left).map(({ text }) => text);
    assert.equal(lines("added").join("\n"), before);
    assert.equal(lines("removed").join("\n"), after);
  }
  assert.equal(changes("a\nb\nc", "a\nc\nd").filter(({ kind }) => kind === "same").length, 2);
});
