import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openPage, PHONE, robots, System, until } from "./rig.mjs";

// Its time passes slowly, and its cycle is long, so that it loses few to the browser.
const system = await new System(
  "activities: {control: {period: 0.01}}\n",
  join(robots, "arm6.yaml"),
  {},
  { options: ["--clock", "x0.3"] },
).start();

/** Opens the jog pad. */
async function openPad(options) {
  const page = await openPage(system.url, options);
  await page.waitForSelector("#stage[data-robot]");
  await until(page, () => sinew.jogging.isPossible && sinew.cockpit.tips.has("arm"));
  await page.click("#tab-tool");
  await page.waitForSelector("#jog .hold:enabled");
  return page;
}

const tip = (page) => page.evaluate(() => ({ ...sinew.cockpit.tips.get("arm").position }));
const away = (a, b) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);

/** Waits until the tool has moved this far along an axis. */
const moved = (page, from, axis, least) =>
  until(
    page,
    ([start, name, metres]) => {
      const by = sinew.cockpit.tips.get("arm").position[name] - start[name];
      return metres < 0 ? by <= metres : by >= metres;
    },
    [from, axis, least],
  );

/** Waits until the tool rests: it is in one place in 20 messages. */
async function rests(page) {
  await page.evaluate(() => {
    globalThis.same = 0;
    globalThis.last = undefined;
    globalThis.stopWatching?.();
    const watch = () => {
      const { x, y, z } = sinew.cockpit.tips.get("arm").position;
      const isSame = last && Math.hypot(x - last.x, y - last.y, z - last.z) < 1e-9;
      globalThis.same = isSame ? same + 1 : 0;
      globalThis.last = { x, y, z };
    };
    globalThis.stopWatching = sinew.cockpit.onPose.on(watch);
  });
  await until(page, () => same > 20);
}

/** Holds a key until the tool has moved. */
async function jog(page, key, axis, least) {
  const start = await tip(page);
  await page.keyboard.down(key);
  await moved(page, start, axis, least);
  await page.keyboard.up(key);
  await rests(page);
}

async function save(page, name) {
  await page.getByLabel("Name of the new point").fill(name);
  await page.getByRole("button", { name: "Save point" }).click();
  await page.locator(`[data-point=${name}][aria-pressed=true]`).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  return tip(page);
}

const hasEnded = (page) => until(page, () => !sinew.view.toolMove.isMoving);

test("jog with keys, save two points, run a line between them, stop, resume", async () => {
  const page = await openPad();
  const start = await tip(page);
  await jog(page, "s", "x", -0.03);
  await jog(page, "e", "z", -0.05);
  const first = await save(page, "a");
  assert.ok(first.z < start.z - 0.04, JSON.stringify({ start, first }));
  await jog(page, "a", "y", 0.12);
  const second = await save(page, "b");
  // The key means this axis; how exactly the controller keeps to it is tested without a browser.
  assert.ok(second.y - first.y > 0.95 * away(first, second), JSON.stringify({ first, second }));

  // Back on the line, stopped on the way.
  await page.locator("[data-point=b]").click(); // it is there
  await page.evaluate(() => sinew.view.toolMove.setSpeed(0.1));
  await page.click("#points-run");
  await until(page, () => sinew.view.toolMove.isMoving);
  await moved(page, second, "y", -0.02);
  await page.keyboard.press("Space");
  await page.waitForSelector("#stopped:not([hidden])");
  await hasEnded(page);
  await rests(page);
  const stopped = await tip(page);
  assert.ok(away(stopped, first) > 0.01 && away(stopped, second) > 0.01);
  await page.keyboard.down("w"); // a stopped robot does not obey
  await page.waitForTimeout(300);
  await page.keyboard.up("w");
  assert.ok(away(await tip(page), stopped) < 1e-6);
  await page.click("#resume");
  await page.waitForSelector("#stopped", { state: "hidden" });
  await rests(page);
  assert.ok(away(await tip(page), stopped) < 1e-4); // nothing goes on by itself

  await page.click("#points-run");
  await until(page, () => sinew.view.toolMove.isMoving);
  await hasEnded(page);
  assert.equal(await page.evaluate(() => sinew.view.toolMove.failure), "");
  assert.ok(away(await tip(page), first) < 1e-4, JSON.stringify(await tip(page)));
  assert.deepEqual(page.problems, []);
});

test("the tool stops when the page might not notice that the key is released", async () => {
  const page = await openPad();
  const ends = [
    () => page.evaluate(() => dispatchEvent(new Event("blur"))),
    () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))),
    () => page.focus("input[name=point]"),
    () => page.click("#tab-control"),
  ];
  for (const end of ends) {
    await page.click("#tab-tool");
    await page.evaluate(() => document.activeElement.blur());
    const start = await tip(page);
    await page.keyboard.down("q");
    await moved(page, start, "z", 0.003);
    await end();
    await until(page, () => Object.values(sinew.jogging.command).every((axis) => axis === 0));
    await rests(page);
    await page.keyboard.up("q");
  }
});

test("a finger jogs in the axes of the tool, and a lost connection stops it", async () => {
  const page = await openPad(PHONE);
  await page.getByRole("button", { name: "Tool", exact: true }).click();
  const before = await page.evaluate(() => structuredClone(sinew.cockpit.tips.get("arm")));
  const box = await page.locator('[data-jog="z-"]').boundingBox();
  const finger = await page.context().newCDPSession(page);
  await finger.send("Input.dispatchTouchEvent", {
    type: "touchStart",
    touchPoints: [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }],
  });
  await until(
    page,
    ({ x, y, z }) => {
      const { position } = sinew.cockpit.tips.get("arm");
      return Math.hypot(position.x - x, position.y - y, position.z - z) > 0.01;
    },
    before.position,
  );
  const after = await tip(page);
  // Against the z axis of the tool, which is the third column of its rotation.
  const { x, y, z, w } = before.orientation;
  const axis = { x: 2 * (x * z + w * y), y: 2 * (y * z - w * x), z: 1 - 2 * (x * x + y * y) };
  const along =
    (after.x - before.position.x) * axis.x +
    (after.y - before.position.y) * axis.y +
    (after.z - before.position.z) * axis.z;
  const way = away(after, before.position);
  assert.ok(along < -0.98 * way, `${along} m of ${way} m`);
  await system.stop();
  await until(page, () => Object.values(sinew.jogging.command).every((value) => value === 0));
  await page.waitForSelector('[data-jog="z-"]:disabled');
});
