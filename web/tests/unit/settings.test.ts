import assert from "node:assert/strict";
import { test } from "node:test";
import { Parameters } from "../../src/foxglove/parameters";
import type { Cockpit } from "../../src/system/cockpit";
import type { ComponentInfo, PropertyInfo } from "../../src/system/components";
import { applyByRestart, editorOf, rangeOf, textOf, valueOf } from "../../src/system/settings";

const property = (
  kind: string,
  value: unknown,
  more: Partial<PropertyInfo> = {},
): PropertyInfo => ({
  name: "p",
  kind,
  value,
  ...more,
});

test("kinds have their editors, and files and trees none", () => {
  assert.equal(editorOf(property("true or false", false)), "switch");
  assert.equal(editorOf(property("text", "a", { choices: "a|b" })), "choice");
  assert.equal(editorOf(property("text", "a", { path: true })), "fixed");
  assert.equal(editorOf(property("tree", {})), "fixed");
  assert.equal(editorOf(property("real number", null)), "fixed"); // too long to be sent
});

test("what is shown means the same when it is entered again", () => {
  const cases = [
    property("real number", -0.25),
    property("text", "tool0"),
    property("list of real numbers", [1, -2.5]),
    property("list of texts", ["a", "b"]),
    property("list of texts", []),
  ];
  for (const entry of cases) {
    assert.deepEqual(valueOf(entry, textOf(entry.value)), { value: entry.value });
  }
});

test("what is not a number is refused with what was found", () => {
  assert.match(valueOf(property("integer", 1), "two") as string, /“two” is not a number/);
  assert.match(valueOf(property("integer", 1), " ") as string, /not a number/);
  assert.match(valueOf(property("list of real numbers", []), "1, x") as string, /“x”/);
});

test("ranges have a unit, unless there is none", () => {
  assert.equal(rangeOf(property("real number", 1, { min: 0, max: 60, unit: "s" })), "0 … 60 s");
  assert.equal(rangeOf(property("integer", 1, { min: 1, max: 2, unit: "–" })), "1 … 2");
  assert.equal(rangeOf(property("text", "")), "");
});

test("a refusal belongs to the parameter that it names, and the answer ends it", async () => {
  const sent: { id?: string }[] = [];
  const parameters = new Parameters((message) => sent.push(message) > 0);
  const [a, b] = [parameters.set("c.a", 1), parameters.set("c.ab", 2)];
  assert.equal(parameters.refuse("c.ab: above 1"), true);
  assert.equal(parameters.refuse("/topic: unknown"), false);
  parameters.answer(sent[0]!.id!);
  parameters.answer(sent[1]!.id!);
  parameters.answer("other");
  assert.deepEqual(await Promise.all([a, b]), ["", "above 1"]);
  const late = parameters.set("c.a", 1);
  parameters.drop();
  assert.equal(await late, "the connection was lost");
});

/** @param refusals  by operation or value: how often it fails */
async function restart(refusals: Record<string, number>) {
  const calls: string[] = [];
  const answer = (what: string) => {
    calls.push(what);
    return Promise.resolve((refusals[what] ?? 0) > 0 && refusals[what]!-- > 0 ? `no ${what}` : "");
  };
  const cockpit = {
    request: (_: unknown, operation: string) => answer(operation),
    client: { setParameter: (_: string, value: unknown) => answer(String(value)) },
  };
  const component = { name: "c", properties: [property("integer", "old")] };
  const failure = await applyByRestart(
    cockpit as unknown as Cockpit,
    component as unknown as ComponentInfo,
    "p",
    "new",
  );
  return { failure, calls: calls.join(" ") };
}

test("a component is restarted with the value, or runs on without it", async () => {
  assert.deepEqual(await restart({}), { failure: "", calls: "stop new start" });
  assert.deepEqual(await restart({ stop: 1 }), { failure: "no stop", calls: "stop" });
  assert.deepEqual(await restart({ new: 1 }), { failure: "no new", calls: "stop new start" });
  assert.deepEqual(await restart({ start: 1 }), {
    failure: "no start",
    calls: "stop new start old start",
  });
  assert.match((await restart({ start: 2 })).failure, /c does not run: no start/);
});
