import assert from "node:assert/strict";
import { test } from "node:test";
import { openWalker, until, walker } from "./rig.mjs";

const system = await walker().start();

/** Where a handle is on the page. */
const onScreen = (page, name) =>
  page.evaluate((grab) => {
    sinew.view.stage.renderNow();
    const box = sinew.view.stage.canvas.getBoundingClientRect();
    const place = sinew.view.tips.toScreen(sinew.view.tips.grabs.get(grab).place());
    return { x: box.left + place.x, y: box.top + place.y };
  }, name);

async function drag(page, name, x, y) {
  const from = await onScreen(page, name);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + x, from.y + y, { steps: 5 });
  await page.mouse.up();
}

const plan = (page) =>
  page.evaluate(() => {
    const { place, plan, failure } = sinew.view.moveBase;
    return { place, failure, count: plan?.footholds.length, end: plan?.path.at(-1) };
  });

test("a dragged ghost shows the plan, and the robot goes there", async () => {
  const page = await openWalker(system.url);
  await page.click("#go-to");
  await until(page, () => sinew.view.moveBase.place !== undefined);
  const start = await page.evaluate(() => sinew.cockpit.base.position);
  await drag(page, "place", 60, 12);
  await until(page, () => sinew.view.moveBase.plan !== undefined);
  await drag(page, "heading", 40, -20);
  await page.waitForSelector("#go:enabled");
  const { place, end, count, failure } = await plan(page);
  assert.equal(failure, "");
  assert.ok(count >= 4, `${count} footholds`); // each leg steps
  const way = Math.hypot(place.x - start.x, place.y - start.y);
  assert.ok(way > 0.05 && Math.abs(place.heading) > 0.1, JSON.stringify(place));
  await until(page, () => {
    const { place, plan } = sinew.view.moveBase;
    const { x, y } = plan?.path.at(-1) ?? {};
    return Math.hypot(x - place.x, y - place.y) < 0.01;
  });
  assert.ok(end !== undefined);
  const drawn = await page.evaluate(() => {
    sinew.view.stage.renderNow();
    return sinew.view.plan.group.visible;
  });
  assert.ok(drawn);
  await page.click("#go");
  // The ghost goes away when the robot has arrived; otherwise the reason is shown.
  await until(page, () => {
    const { place, isMoving, failure } = sinew.view.moveBase;
    return !isMoving && (place === undefined || failure !== "");
  });
  assert.equal(await page.evaluate(() => sinew.view.moveBase.failure), "");
  const off = await page.evaluate(({ x, y, heading }) => {
    const { position, orientation: q } = sinew.cockpit.base;
    const now = Math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
    return {
      metres: Math.hypot(position.x - x, position.y - y),
      angle: Math.abs(Math.sin(now - heading)),
    };
  }, place);
  assert.ok(off.metres < 0.03 && off.angle < 0.1, JSON.stringify(off));
  assert.deepEqual(page.problems, []);
});

test("a place that cannot be reached says which constraint failed", async () => {
  const page = await openWalker(system.url);
  await page.click("#go-to");
  await until(page, () => sinew.view.moveBase.place !== undefined);
  await page.evaluate(() => {
    const { moveBase } = sinew.view;
    // A single step for a long way.
    moveBase.request = ((make) => (place) => ({ ...make.call(moveBase, place), n_steps: 1 }))(
      moveBase.request,
    );
    moveBase.move({ x: 20, y: 0 });
  });
  await until(page, () => sinew.view.moveBase.failure !== "");
  await until(
    page,
    () => document.querySelector("#move-base.bad p")?.textContent === sinew.view.moveBase.failure,
  );
  assert.ok(await page.isDisabled("#go"));
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector("#move-base", { state: "hidden" });
});
