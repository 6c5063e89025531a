import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openPage, robots, System, until } from "./rig.mjs";

const system = await new System("", join(robots, "arm6.yaml")).start();

/** Opens a page and waits until the tool can be moved. */
async function openArm(options) {
  const page = await openPage(system.url, options);
  await page.waitForSelector("#stage[data-robot]");
  await until(page, () => sinew.view.toolMove.isPossible && sinew.cockpit.tips.has("arm"));
  return page;
}

const tip = (page) => page.evaluate(() => ({ ...sinew.cockpit.tips.get("arm").position }));
const goal = (page) => page.evaluate(() => sinew.view.toolMove.goal?.position);
const away = (a, b) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);

/** Pixels of a point of the gizmo: this share of its size from its middle, along an axis. */
const onGizmo = (page, part, axis, share) =>
  page.evaluate(
    ([name, direction, along]) => {
      const { stage, gizmo } = sinew.view;
      stage.renderNow();
      const controls = gizmo[name];
      const { camera, canvas } = stage;
      const distance = controls.worldPosition.distanceTo(camera.position);
      const height = distance * Math.min(1.9 * Math.tan((Math.PI * camera.fov) / 360), 7);
      const point = controls.worldPosition.clone();
      point[direction] += (along * height * controls.size) / 4;
      point.project(camera);
      const box = canvas.getBoundingClientRect();
      return {
        x: box.left + (0.5 + 0.5 * point.x) * box.width,
        y: box.top + (0.5 - 0.5 * point.y) * box.height,
      };
    },
    [part, axis, share],
  );

async function drag(page, from, x, y) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + x, from.y + y, { steps: 6 });
  await page.mouse.up();
}

const isPlanned = (page) =>
  until(page, () => sinew.view.toolMove.preview !== undefined && !sinew.view.toolMove.isAsking);

const hasEnded = (page) =>
  until(page, () => {
    const { isMoving, isOpen, failure } = sinew.view.toolMove;
    return !isMoving && (!isOpen || failure !== "");
  });

test("an arrow moves the target along its axis, the ghost shows the end, and the tool goes there", async () => {
  const page = await openArm();
  await page.click("#move-tool");
  await page.getByLabel("How the tool goes").selectOption("ptp"); // the first pose is singular
  const before = await goal(page);
  const eye = await page.evaluate(() => sinew.view.stage.camera.position.toArray());
  await drag(page, await onGizmo(page, "arrows", "z", 0.5), 3, 30);
  const after = await goal(page);
  assert.ok(after.z < before.z - 0.02, JSON.stringify({ before, after }));
  assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1e-9);
  assert.deepEqual(await page.evaluate(() => sinew.view.stage.camera.position.toArray()), eye);
  await isPlanned(page);
  assert.ok(await page.evaluate(() => sinew.view.toolView.group.visible));
  assert.ok(away(await tip(page), before) < 1e-6); // nothing moves before it is asked to
  await page.click("#tool-run");
  await hasEnded(page);
  assert.equal(await page.evaluate(() => sinew.view.toolMove.failure), "");
  assert.ok(away(await tip(page), after) < 1e-3, JSON.stringify(await tip(page)));
  await page.waitForSelector("#tool-motion", { state: "hidden" });
  assert.deepEqual(page.problems, []);
});

test("a ring turns the target and does not move it", async () => {
  const page = await openArm();
  await page.click("#move-tool");
  const before = await page.evaluate(() => structuredClone(sinew.view.toolMove.goal));
  await drag(page, await onGizmo(page, "rings", "x", 0.5), 14, -8);
  const after = await page.evaluate(() => structuredClone(sinew.view.toolMove.goal));
  const [a, b] = [before.orientation, after.orientation];
  const same = Math.abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
  assert.ok(2 * Math.acos(Math.min(1, same)) > 0.05, JSON.stringify({ a, b }));
  assert.ok(away(before.position, after.position) < 1e-12);
  await page.click("#tool-cancel");
  await page.waitForSelector("#tool-motion", { state: "hidden" });
});

test("a target out of reach says why, and the tool goes as near as it can", async () => {
  const page = await openArm();
  await page.click("#move-tool");
  const start = await tip(page);
  const far = { x: start.x + 3, y: start.y, z: start.z };
  await page.evaluate((position) => {
    const { toolMove } = sinew.view;
    toolMove.move({ ...toolMove.goal, position });
  }, far);
  await isPlanned(page);
  await page.waitForSelector("#tool-motion.bad");
  assert.match(await page.textContent("#tool-motion p"), /(out of reach|limit).* from the target/);
  await page.getByRole("button", { name: "Go as near as possible" }).click();
  await hasEnded(page);
  assert.equal(await page.evaluate(() => sinew.view.toolMove.failure), "");
  assert.ok(away(await tip(page), far) < away(start, far) - 0.05);
});
