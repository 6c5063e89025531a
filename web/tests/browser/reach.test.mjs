import assert from "node:assert/strict";
import { test } from "node:test";
import { openCockpit, PATIENCE_MS, System, until } from "./rig.mjs";

const system = await new System().start();

const tip = (page) => page.evaluate(() => ({ ...sinew.cockpit.tips.get("leg1").position }));
const onScreen = (page) =>
  page.evaluate(() => {
    const box = sinew.view.stage.canvas.getBoundingClientRect();
    const place = sinew.view.tips.toScreen(sinew.cockpit.tips.get("leg1").position);
    return { x: box.left + place.x, y: box.top + place.y };
  });
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);

test("dragging a tip moves the limb and gives it back", async () => {
  const page = await openCockpit(system.url);
  await until(page, () => sinew.view.reach.chains().includes("leg1"));
  const before = await tip(page);
  const joints = await page.evaluate(() => [...sinew.cockpit.desired.position]);
  const from = await onScreen(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await until(page, () => sinew.cockpit.ownerOf("leg1") === "reach");
  await page.mouse.move(from.x, from.y - 45, { steps: 8 });
  await until(page, () => sinew.view.reach.grip?.chain === "leg1");
  const goal = await page.evaluate(() => ({ ...sinew.view.reach.grip.goal }));
  assert.ok(distance(goal, before) > 0.02, `the goal is ${distance(goal, before)} m away`);
  await until(page, () => sinew.view.reach.distance() < 0.004);
  await page.mouse.up();
  await until(page, () => sinew.cockpit.ownerOf("leg1") === "hold");
  const now = await tip(page);
  assert.ok(distance(now, goal) < 0.006, `${distance(now, goal)} m from the goal`);
  assert.ok(now.z > before.z + 0.015, "the hoof was lifted");
  // No other limb moved.
  const after = await page.evaluate(() => [...sinew.cockpit.desired.position]);
  const names = await page.evaluate(() => sinew.cockpit.joints);
  names.forEach((name, i) => {
    if (!name.startsWith("leg1")) {
      assert.ok(Math.abs(after[i] - joints[i]) < 1e-6, name);
    }
  });
});

test("dragging away from tips turns the camera", async () => {
  const page = await openCockpit(system.url);
  const eye = await page.evaluate(() => sinew.view.stage.camera.position.toArray());
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.move(box.x + 30, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 130, box.y + 50, { steps: 5 });
  await page.mouse.up();
  const now = await page.evaluate(() => sinew.view.stage.camera.position.toArray());
  assert.notDeepEqual(now, eye);
  assert.equal(await page.evaluate(() => sinew.view.reach.grip), undefined);
});

test("the keyboard moves a tip", async () => {
  const page = await openCockpit(system.url);
  await page.focus("#canvas");
  await page.keyboard.press("t");
  await page.keyboard.press("t"); // the second one: the first one was lifted above
  const chain = await page.evaluate(() => sinew.view.tips.selected);
  const height = () => page.evaluate((name) => sinew.cockpit.tips.get(name).position.z, chain);
  const before = await height();
  // Press until it is high enough: a step that takes seconds on a busy machine is given up.
  const patience = Date.now() + PATIENCE_MS;
  while ((await height()) <= before + 0.015 && Date.now() < patience) {
    await page.keyboard.press("PageUp");
    await page.waitForTimeout(300);
  }
  const risen = (await height()) - before;
  assert.ok(risen > 0.015, `${risen} m`);
});
