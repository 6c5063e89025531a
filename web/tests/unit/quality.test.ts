import assert from "node:assert/strict";
import { test } from "node:test";
import { Quality } from "../../src/view/quality";

/** A machine with a given duration of frames for each pixel ratio. */
function machine(frameMs: (ratio: number) => number) {
  let now = 1000;
  let waiting: (() => void)[] = [];
  let ratio = 0;
  const canvas = {
    setPixelRatio: (value: number) => (ratio = value),
    setSize: () => undefined,
  };
  const clock = {
    now: () => now,
    next: (call: () => void) => waiting.push(call),
    isHidden: () => false,
  };
  const quality: Quality = new Quality(canvas, () => quality.apply(100, 100), 1, clock);
  quality.apply(100, 100);
  /** Something moves all the time; the browser draws whenever it is allowed to. */
  const run = (frames: number) => {
    for (let drawn = 0; drawn < frames;) {
      const isDrawn = quality.isTime();
      drawn += isDrawn ? 1 : 0;
      now += isDrawn ? frameMs(ratio) : 16;
      const calls = waiting;
      waiting = [];
      calls.forEach((call) => call());
    }
    return ratio;
  };
  return {
    run,
    pause: (ms: number) => (now += ms),
    rest: () => (quality as unknown as { rest(): void }).rest(),
  };
}

test("frames of seconds make the picture coarser after the first one", () => {
  const { run } = machine((ratio) => 3000 * ratio * ratio);
  assert.equal(run(1), 1);
  assert.ok(run(1) <= 0.5);
});

test("a slightly slow machine gets a slightly coarser picture, a fast one stays fine", () => {
  const slow = machine((ratio) => 60 * ratio * ratio).run(200);
  assert.ok(slow < 1 && slow >= 0.5, `${slow}`);
  assert.equal(machine(() => 16).run(200), 1);
});

test("a pause is not a slow frame", () => {
  const { run, pause } = machine(() => 16);
  for (let i = 0; i < 20; i++) {
    run(1);
    pause(3000);
  }
  assert.equal(run(1), 1);
});

test("a picture at rest does not take seconds either", () => {
  const { run, rest } = machine((ratio) => 3000 * ratio * ratio);
  run(3);
  let ratio = 1;
  for (let i = 0; i < 5; i++) {
    rest();
    ratio = run(1);
    run(2);
  }
  assert.ok(3000 * ratio * ratio < 1000, `${ratio}`);
});
