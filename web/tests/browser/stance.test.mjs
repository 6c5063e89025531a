import assert from "node:assert/strict";
import { test } from "node:test";
import { openCockpit, PATIENCE_MS, System, until } from "./rig.mjs";

const system = await new System(
  "  plant: {properties: {base: floating, start_pose: movable}}\n",
).start();

/** Where a handle is on the page. */
const onScreen = (page, name) =>
  page.evaluate((grab) => {
    const box = sinew.view.stage.canvas.getBoundingClientRect();
    const place = sinew.view.tips.toScreen(sinew.view.tips.grabs.get(grab).place());
    return { x: box.left + place.x, y: box.top + place.y };
  }, name);

test("a floating robot is drawn where its base is, with forces and trails", async () => {
  const page = await openCockpit(system.url);
  await until(page, () => sinew.cockpit.baseFrom === "truth" && sinew.cockpit.forces !== undefined);
  await until(page, () => sinew.view.trails.count("leg1") > 0);
  const { base, drawn, weight, carried } = await page.evaluate(() => {
    sinew.view.stage.renderNow();
    const { base, forces, balance } = sinew.cockpit;
    return {
      base: base.position,
      drawn: sinew.view.figure.robot.getWorldPosition(sinew.view.stage.camera.position.clone()),
      weight: 9.81 * balance.mass,
      carried: forces.wrench.reduce((sum, { force }) => sum + force.z, 0),
    };
  });
  assert.ok(Math.hypot(base.x - drawn.x, base.y - drawn.y, base.z - drawn.z) < 1e-6);
  assert.ok(base.z > 0.05, `the base is at ${base.z} m`);
  assert.ok(Math.abs(carried - weight) < 0.3 * weight, `${carried} N of ${weight} N`);
  const shown = await page.locator("#tools button:visible").allTextContents();
  assert.ok(shown.includes("Forces") && shown.includes("Follow"), shown.join());
});

test("dragging the body moves the base and the controller keeps the legs", async () => {
  const page = await openCockpit(system.url);
  await until(page, () => sinew.view.tips.grabs.get("body")?.place() !== undefined);
  const from = await onScreen(page, "body");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await until(page, () => sinew.cockpit.command !== undefined);
  const before = await page.evaluate(() => sinew.cockpit.command.position.z);
  const feet = await page.evaluate(() => sinew.cockpit.forces.pose.map((pose) => pose.position));
  await page.mouse.move(from.x, from.y + 20, { steps: 8 });
  await until(page, () => sinew.view.body.goal !== undefined);
  await page.waitForFunction(
    (height) => sinew.cockpit.command.position.z < height - 0.005,
    before,
    { timeout: PATIENCE_MS },
  );
  await page.mouse.up();
  await until(page, () => sinew.cockpit.ownerOf("leg1") === "stance");
  const now = await page.evaluate(() => sinew.cockpit.forces.pose.map((pose) => pose.position));
  now.forEach(({ x, y }, i) => {
    const way = Math.hypot(x - feet[i].x, y - feet[i].y);
    assert.ok(way < 0.03, `foot ${i} went ${way} m`); // the centre of pressure moves on the sole
  });
});

test("dragging the point of the gaze turns the head", async () => {
  const page = await openCockpit(system.url);
  await until(page, () => sinew.view.tips.grabs.get("gaze")?.place() !== undefined);
  await page.evaluate(() => sinew.view.gaze.begin());
  await until(page, () => sinew.cockpit.ownerOf("head") === "look");
  await page.evaluate(() => {
    sinew.view.gaze.move({ x: 1, y: 0.6, z: 0.1 });
    sinew.view.gaze.letGo();
  });
  await until(page, () => {
    const { position, orientation: q } = sinew.cockpit.tips.get("head");
    const way = { x: 1 - position.x, y: 0.6 - position.y };
    const heading = Math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
    return Math.abs(heading - Math.atan2(way.y, way.x)) < 0.05;
  });
});
