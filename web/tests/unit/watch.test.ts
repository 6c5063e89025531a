import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import { ORIGIN } from "../../src/system/geometry";
import { Watch } from "../../src/system/watch";

function makeWatch(owner: string) {
  const sent: unknown[] = [];
  const done: { operational: boolean }[] = [];
  let ms = 0;
  const holds = { name: "start_operational", value: true };
  const cockpit = {
    roles: {
      look: { name: "look", properties: [] },
      controllers: [
        { name: "hold", properties: [holds] },
        { name: "follow", properties: [] },
        { name: "look", properties: [] },
      ],
    },
    mayChange: true,
    tips: new Map([["head", ORIGIN]]),
    owner,
    ownerOf: () => cockpit.owner,
    do: async (_: object, __: string, request: { operational: boolean }) => {
      await Promise.resolve();
      done.push(request);
      cockpit.owner = request.operational ? "look" : "hold";
      return true;
    },
    client: { publish: (_: string, message: unknown) => sent.push(message) },
  };
  const watch = new Watch(cockpit as unknown as Cockpit, () => ms);
  return { watch, sent, done, wait: (by: number) => (ms += by), cockpit };
}
const settled = () => new Promise((done) => setImmediate(done));

test("the head that no one uses follows the point, at most 20 times a second", async () => {
  const { watch, sent, done, wait } = makeWatch("hold");
  watch.look({ x: 1, y: 0, z: 0 });
  await settled();
  assert.equal(done.length, 1);
  for (let i = 0; i < 100; i++) {
    wait(10);
    watch.look({ x: 1, y: 0.01 * i, z: 0 });
  }
  assert.ok(sent.length > 10 && sent.length <= 20, `${sent.length} in a second`);
  watch.end();
  await settled();
  assert.equal(done.at(-1)!.operational, false);
});

test("a head that a person moves is left alone", async () => {
  const { watch, sent, done } = makeWatch("follow");
  watch.look({ x: 1, y: 0, z: 0 });
  await settled();
  watch.end();
  assert.equal(sent.length + done.length, 0);
});

test("a point that stays is sent seldom", () => {
  const { watch, sent, wait } = makeWatch("look");
  for (let i = 0; i < 100; i++) {
    wait(50);
    watch.look({ x: 1, y: 0, z: 0 });
  }
  assert.ok(sent.length >= 4 && sent.length <= 6, `${sent.length} in 5 s`);
});
