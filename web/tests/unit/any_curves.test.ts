// Curves of any topic: which numbers a message has, and how they are read, kept and saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { curvesCsv } from "../../src/curves/curve_csv";
import { CURVES_MAX, type CurveSource, CurveStore } from "../../src/curves/curve_store";
import { inferType, listFields, reader } from "../../src/curves/fields";
import { Track } from "../../src/curves/track";
import type { Message } from "../../src/foxglove/cdr";
import { parseSchema, type Struct } from "../../src/foxglove/schema";

const JOINTS = parseSchema(
  "sensor_msgs/msg/JointState",
  `builtin_interfaces/Time stamp
string[] name
float64[] position
float64[] effort
`,
);
const BODY = parseSchema(
  "a/msg/Body",
  `bool is_up
string text
Point[] position
float32[2] pair
int64 count
================================================================================
MSG: a/Point
float64 x
float64 y
`,
);
const state = (name: string[], position: number[]): Message => ({
  stamp: { sec: 1, nanosec: 2 },
  name,
  position: Float64Array.from(position),
  effort: new Float64Array(0),
});

const paths = (type: Struct, message?: Message) => listFields(type, message).map((l) => l.path);

test("numbers are listed by the schema, elements by the message and its names", () => {
  assert.deepEqual(paths(JOINTS), []);
  assert.deepEqual(paths(JOINTS, state(["hip", "knee"], [1, 2])), [
    "position[hip]",
    "position[knee]",
  ]);
  assert.deepEqual(paths(BODY), ["is_up", "pair[0]", "pair[1]", "count"]);
  const message = { position: [{ x: 1, y: 2 }] };
  assert.deepEqual(paths(BODY, message).slice(1, 3), ["position[0].x", "position[0].y"]);
});

test("names that are not distinct are not used", () => {
  assert.deepEqual(paths(JOINTS, state(["a", "a"], [1, 2])), ["position[0]", "position[1]"]);
});

test("units follow the type, and of a vector the field that has it", () => {
  const leaves = listFields(JOINTS, state(["hip"], [1]));
  assert.equal(leaves[0]!.unit, "joint");
  const body = listFields(BODY, { position: [{ x: 1, y: 2 }] });
  assert.equal(body.find(({ path }) => path === "position[0].x")!.unit, "m");
  assert.equal(body.find(({ path }) => path === "count")!.unit, "");
});

test("a joint is read by its name, wherever it is", () => {
  const read = reader("position[knee]");
  assert.equal(read(state(["hip", "knee"], [1, 2])), 2);
  assert.equal(read(state(["knee", "hip"], [3, 4])), 3);
  assert.ok(Number.isNaN(read(state(["hip"], [1]))));
});

test("numbers, truths and large numbers are read; anything else is none", () => {
  const message = { is_up: true, count: 7n, text: "x", position: [{ x: 1, y: 2.5 }] };
  assert.equal(reader("is_up")(message), 1);
  assert.equal(reader("count")(message), 7);
  assert.equal(reader("position[0].y")(message), 2.5);
  for (const path of ["text", "position", "position[1].x", "nothing.at.all", ""]) {
    assert.ok(Number.isNaN(reader(path)(message)), path);
  }
});

test("JSON messages have a type, and elements with a name are found by it", () => {
  const message = { activities: [{ name: "control", cycles: 5 }], now_ns: 1, text: "t" };
  const type = inferType(message as unknown as Message);
  assert.deepEqual(paths(type, message as unknown as Message), [
    "activities[control].cycles",
    "now_ns",
  ]);
  assert.equal(reader("activities[control].cycles")(message as unknown as Message), 5);
});

test("a track keeps the last minute and begins again when time goes back", () => {
  const track = new Track();
  for (let i = 0; i < 4000; i++) {
    track.push(i, i === 3998 ? NaN : 2 * i);
  }
  assert.equal(track.since(-Infinity).time[0], 400);
  assert.deepEqual(track.since(3997), { time: [3997, 3998, 3999], value: [7994, null, 7998] });
  track.push(3999, 1); // sent again
  assert.equal(track.latest, 7998);
  track.push(10, 1);
  assert.deepEqual(track.since(-Infinity), { time: [10], value: [1] });
});

/** A server with one topic, and a place for the choice. */
function rig(saved: Record<string, string> = {}) {
  const handlers = new Map<string, (message: Message, timeNs: bigint) => void>();
  const source = {
    joints: ["hip", "slide"],
    limitsOf: (joint: string) => ({ isAngle: joint === "hip" }),
    client: {
      typeOf: (topic: string) => (topic === "/plant/joints" ? JOINTS : undefined),
      subscribe: (topic: string, handler: (message: Message, timeNs: bigint) => void) => {
        handlers.set(topic, handler);
        return () => handlers.delete(topic);
      },
    },
  } as unknown as CurveSource;
  const storage = {
    getItem: (key: string) => saved[key] ?? null,
    setItem: (key: string, value: string) => void (saved[key] = value),
  };
  return { handlers, saved, store: new CurveStore(source, storage) };
}

test("chosen curves are remembered, and their topics subscribed once", () => {
  const { handlers, saved, store } = rig();
  store.look("/plant/joints");
  store.add("/plant/joints", ["position[hip]", "position[slide]"]);
  assert.deepEqual([...handlers.keys()], ["/plant/joints"]);
  const again = rig(saved);
  assert.deepEqual(
    again.store.list.map(({ path }) => path),
    ["position[hip]", "position[slide]"],
  );
  assert.deepEqual([...again.handlers.keys()], ["/plant/joints"]);
  again.store.remove(again.store.list);
  assert.deepEqual([...again.handlers.keys()], []);
  assert.equal(rig(again.saved).store.list.length, 0);
});

test("a choice that is not ours is ignored", () => {
  for (const text of ["{", "3", "[null, 1, {}]", '{"topic": "/a"}']) {
    assert.equal(rig({ "sinew.curves": text }).store.list.length, 0, text);
  }
});

test("no more curves than can be told apart", () => {
  const { store } = rig();
  const many = Array.from({ length: CURVES_MAX + 1 }, (_, i) => `position[${i}]`);
  assert.equal(store.add("/plant/joints", many), false);
  assert.equal(store.list.length, CURVES_MAX);
});

test("units of joints depend on the joint; a table has them and the values", () => {
  const { handlers, store } = rig();
  store.add("/plant/joints", ["position[hip]", "position[slide]", "position[other]"]);
  const take = handlers.get("/plant/joints")!;
  take(state(["hip", "slide", "other"], [0.5, 0.25, 1]), 1_000_000_000n);
  take(state(["hip"], [0.75]), 2_000_000_000n);
  assert.deepEqual(
    store.list.map((curve) => store.unitOf(curve)),
    ["rad", "m", ""],
  );
  assert.equal(
    curvesCsv(store, { from: 0, to: 1.5 }),
    "time (s),/plant/joints position[hip] (rad),/plant/joints position[slide] (m),/plant/joints position[other]\n" +
      "1.000000,0.5,0.25,1\n",
  );
  assert.match(curvesCsv(store, { from: 0, to: 9 }), /\n2\.000000,0\.75,,\n$/);
});
