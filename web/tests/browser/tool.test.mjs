import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openPage, robots, System, until } from "./rig.mjs";

// Its time passes slowly, and its cycle is long, so that it loses few to the browser.
const system = await new System(
  "activities: {control: {period: 0.01}}\n",
  join(robots, "arm6.yaml"),
  {},
  { options: ["--clock", "x0.3"] },
).start();

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

/** A joint motion to a pose that is far from singular ones. */
async function goTo(page, joints) {
  await page.evaluate((pose) => {
    const { toolMove } = sinew.view;
    toolMove.close();
    toolMove.choose("ptp");
    toolMove.show([{ joints: pose }]);
  }, joints);
  await isPlanned(page);
  await page.click("#tool-run");
  await hasEnded(page);
  assert.equal(await page.evaluate(() => sinew.view.toolMove.failure), "");
}

/** Records where the tool is commanded, from now on. */
const record = (page) =>
  page.evaluate(() => {
    globalThis.way = [];
    sinew.cockpit.onPose.on(() => way.push({ ...sinew.cockpit.tips.get("arm").position }));
  });

/** The largest distance from the line between two points. */
function besideLine(way, from, to) {
  const along = { x: to.x - from.x, y: to.y - from.y, z: to.z - from.z };
  const length = Math.hypot(along.x, along.y, along.z);
  const beside = (point) => {
    const [x, y, z] = [point.x - from.x, point.y - from.y, point.z - from.z];
    const cross = [along.y * z - along.z * y, along.z * x - along.x * z, along.x * y - along.y * x];
    return Math.hypot(...cross) / length;
  };
  return Math.max(...way.map(beside));
}

const ready = [0.2, 0.3, 0.4, 0.1, 0.8, 0];
const other = [-0.3, 0.45, 0.2, 0, 0.9, 0.2];

/** Goes to a pose and saves it. @return where the tool is there */
async function teach(page, joints, name) {
  await goTo(page, joints);
  await page.getByLabel("Name of the new point").fill(name);
  await page.getByRole("button", { name: "Save point" }).click();
  await page.locator(`[data-point=${name}][aria-pressed=true]`).waitFor();
  return tip(page);
}

test("points are saved, and the tool goes on the line between them", async () => {
  const page = await openArm();
  await page.click("#tab-tool");
  const first = await teach(page, ready, "here");
  await record(page);
  const second = await teach(page, other, "there");
  const bent = besideLine(await page.evaluate(() => way), first, second);
  await page.locator("[data-point=there]").click(); // the tool is there: it only has to go back
  await page.getByText("here, in joint space").waitFor();
  await page.click("#points-show");
  await isPlanned(page);
  await page.getByLabel("How the tool goes").selectOption("lin");
  await isPlanned(page);
  await record(page);
  await page.click("#tool-run");
  await hasEnded(page);
  assert.equal(await page.evaluate(() => sinew.view.toolMove.failure), "");
  const way = await page.evaluate(() => globalThis.way);
  assert.ok(away(await tip(page), first) < 1e-6);
  assert.ok(way.some((point) => away(point, first) > 0.02 && away(point, second) > 0.02));
  // Cycles that the browser takes from the program let joints lag for a moment; the exact line is tested without it.
  const beside = besideLine(way, second, first);
  assert.ok(beside < 0.05 * bent, `${beside} m beside the line, in joint space ${bent} m`);
  await page.getByLabel("Remove there").click();
  await page.locator("[data-point=there]").waitFor({ state: "detached" });
});

test("an emergency stop ends a motion, and nothing moves after resuming", async () => {
  const page = await openArm();
  await goTo(page, ready);
  await page.evaluate((joints) => {
    const { toolMove } = sinew.view;
    toolMove.choose("ptp");
    toolMove.setSpeed(0.05);
    toolMove.show([{ joints }]);
  }, other);
  await isPlanned(page);
  const start = await tip(page);
  await page.click("#tool-run");
  await until(
    page,
    ({ x, y, z }) => {
      const { position } = sinew.cockpit.tips.get("arm");
      return Math.hypot(position.x - x, position.y - y, position.z - z) > 0.003;
    },
    start,
  );
  await page.keyboard.press("Space");
  await page.waitForSelector("#stopped:not([hidden])");
  await until(page, () => sinew.cockpit.stop?.at_rest === true && !sinew.view.toolMove.isMoving);
  assert.notEqual(await page.evaluate(() => sinew.view.toolMove.failure), "");
  assert.ok(await page.isDisabled("#tool-run"));
  const stopped = await tip(page);
  await page.click("#resume");
  await page.waitForSelector("#stopped", { state: "hidden" });
  await record(page);
  await until(page, () => way.length > 40);
  const moved = await page.evaluate(
    ({ x, y, z }) => Math.max(...way.map((p) => Math.hypot(p.x - x, p.y - y, p.z - z))),
    stopped,
  );
  assert.ok(moved < 1e-4, `${moved} m after resuming`);
  await goTo(page, ready); // it obeys again
});

test("a motion into a box says which links would touch", async () => {
  const page = await openArm();
  await goTo(page, ready);
  const { x, y, z } = await tip(page);
  await page.evaluate(
    async (position) => {
      const { cockpit } = sinew;
      const orientation = { x: 0, y: 0, z: 0, w: 1 };
      const box = { name: "crate", shape: "box", size: [0.1, 0.1, 0.1] };
      await cockpit.do(cockpit.roles.guard, "addObject", {
        ...box,
        pose: { position, orientation },
      });
    },
    { x, y: y + 0.25, z },
  );
  await page.click("#move-tool");
  await page.evaluate(
    (position) => {
      const { toolMove } = sinew.view;
      toolMove.choose("lin");
      toolMove.move({ ...toolMove.goal, position });
    },
    { x, y: y + 0.25, z },
  );
  await page.getByText(/('crate' and|and 'crate') .*would touch after \d+ % of the way/).waitFor();
  await page.getByRole("button", { name: "Go as near as possible" }).click();
  await hasEnded(page);
  assert.equal(await page.evaluate(() => sinew.view.toolMove.failure), "");
  const end = await tip(page);
  assert.ok(end.y > y + 0.02 && end.y < y + 0.25, `${end.y - y} m`);
  assert.ok(Math.hypot(end.x - x, end.z - z) < 1e-4, JSON.stringify(end)); // on the line
  await page.evaluate(() => {
    const { cockpit } = sinew;
    return cockpit.do(cockpit.roles.guard, "removeObject", { name: "crate" });
  });
});
