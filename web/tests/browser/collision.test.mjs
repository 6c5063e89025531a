import assert from "node:assert/strict";
import { test } from "node:test";
import { enter, openCockpit, System, take, until } from "./rig.mjs";

const system = await new System().start();

/** Draws now, so that what is read is what is seen. */
const draw = (page) => page.evaluate(() => sinew.view.stage.renderNow());

async function showBodies(page) {
  await page.click("[data-key=showsBodies]");
  await until(page, () => sinew.view.collisionView.bodies !== undefined);
  await draw(page);
}

/** Where a handle is on the page. */
const onScreen = (page, name) =>
  page.evaluate((grab) => {
    sinew.view.stage.renderNow();
    const box = sinew.view.stage.canvas.getBoundingClientRect();
    const place = sinew.view.tips.toScreen(sinew.view.tips.grabs.get(grab).place());
    return { x: box.left + place.x, y: box.top + place.y };
  }, name);

const boxOf = (page) => page.evaluate(() => sinew.view.collision.box);

test("a switch shows the body of every link that has shapes, in the pose of the robot", async () => {
  const page = await openCockpit(system.url);
  assert.equal(await page.evaluate(() => sinew.view.collisionView.bodies), undefined);
  await showBodies(page);
  const [drawn, stated] = await page.evaluate(() => {
    const urdf = new DOMParser().parseFromString(sinew.cockpit.urdf, "text/xml");
    const shapes = [...urdf.querySelectorAll("robot > link")].filter((link) =>
      link.querySelector("collision > geometry, visual > geometry"),
    );
    return [sinew.view.collisionView.bodies.count, shapes.length];
  });
  assert.equal(drawn, stated);
  await take(page, "leg1");
  await enter(page, "leg1_joint3", 0.3);
  await until(page, () => Math.abs(sinew.cockpit.desired.positionOf("leg1_joint3") - 0.3) < 0.01);
  await draw(page);
  const apart = await page.evaluate(() => {
    const { figure, collisionView } = sinew.view;
    const place = (robot) => robot.links.leg1_link5.getWorldPosition(robot.position.clone());
    return place(figure.robot).distanceTo(place(collisionView.bodies.robot));
  });
  assert.ok(apart < 1e-9, `${apart} m`);
  await page.click("[data-key=showsBodies]");
  await draw(page);
  assert.equal(await page.evaluate(() => sinew.view.collisionView.bodies.robot.visible), false);
  assert.deepEqual(page.problems, []);
});

test("a box is drawn, resized, added to the gate and removed", async () => {
  const page = await openCockpit(system.url);
  await page.click("#draw-box");
  await page.waitForSelector("#world:not([hidden])");
  const before = await boxOf(page);
  const from = await onScreen(page, "box");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x - 40, from.y - 10, { steps: 4 });
  await page.mouse.up();
  const moved = await boxOf(page);
  assert.ok(Math.hypot(moved.bottom.x - before.bottom.x, moved.bottom.y - before.bottom.y) > 0.01);
  assert.ok(Math.abs(moved.bottom.z - before.bottom.z) < 1e-6); // it stays on the floor
  await page.getByLabel("Length along z, m").fill("0.5");
  await page.getByLabel("Length along z, m").press("Tab");
  await page.getByLabel("Name", { exact: true }).fill("shelf");
  await page.click("#add-box");
  await until(page, () => sinew.view.collision.objects.some(({ name }) => name === "shelf"));
  await until(page, () => sinew.view.collision.state?.object_count === 1); // the gate counts it
  const [shelf] = await page.evaluate(() =>
    sinew.view.collision.objects.map(({ size, pose }) => ({ size: [...size], pose })),
  );
  const { size, bottom } = { ...moved, size: { ...moved.size, z: 0.5 } };
  [size.x, size.y, 0.5].forEach((edge, i) => assert.ok(Math.abs(shelf.size[i] - edge) < 1e-9));
  assert.ok(Math.abs(shelf.pose.position.x - bottom.x) < 1e-9);
  assert.ok(Math.abs(shelf.pose.position.z - bottom.z - 0.25) < 1e-9);
  await draw(page);
  const drawn = () =>
    page.evaluate(() => {
      sinew.view.stage.renderNow();
      return sinew.view.collisionView.objects.group.children.map((part) => part.userData.name);
    });
  assert.deepEqual(await drawn(), ["shelf", "shelf"]); // faces and edges
  await page.click("#draw-box");
  await page.getByRole("button", { name: "Remove shelf" }).click();
  await until(page, () => sinew.view.collision.objects.length === 0);
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual(await drawn(), []);
  assert.deepEqual(page.problems, []);
});

/** The color of the line, and what the label says. */
const shown = (page) =>
  page.evaluate(() => {
    sinew.view.stage.renderNow();
    const { line, group } = sinew.view.collisionView.nearest;
    const label = document.getElementById("nearest");
    const [a, b] = [0, 1].map((i) =>
      line.geometry.getAttribute("position").array.slice(3 * i, 3 * i + 3),
    );
    return {
      isVisible: group.visible && !label.hidden,
      isRed: label.classList.contains("bad") && line.material.color.r > 2 * line.material.color.g,
      text: label.textContent,
      length: Math.hypot(...a.map((value, i) => value - b[i])),
      state: sinew.view.collision.state,
    };
  });

test("a leg that moves towards a box is blocked: the pair and its distance are red", async () => {
  const page = await openCockpit(system.url);
  await take(page, "leg1");
  await enter(page, "leg1_joint3", 0);
  await until(page, () => Math.abs(sinew.cockpit.desired.positionOf("leg1_joint3")) < 0.01);
  await page.evaluate(async () => {
    // In front of the foot of leg1, beside those of the other legs.
    const { position } = sinew.cockpit.tips.get("leg1");
    const { collision } = sinew.view;
    collision.open({ x: position.x + 0.09, y: position.y, z: position.z - 0.1 }, 0.1);
    collision.rename("wall");
    collision.resize({ x: 0.05, y: 0.05, z: 0.3 });
    await collision.add();
  });
  await until(page, () => sinew.view.collision.objects.length === 1);
  await enter(page, "leg1_joint3", -1.2); // swings the foot forwards
  await until(page, () => sinew.view.collision.state?.blocked);
  await until(page, () => {
    const label = document.getElementById("nearest");
    return !label.hidden && label.classList.contains("bad");
  });
  const { isVisible, isRed, text, length, state } = await shown(page);
  assert.ok(isVisible && isRed, JSON.stringify({ isVisible, isRed, text }));
  assert.match(text, /wall blocked$/);
  assert.ok(state.distance > 0, `${state.distance} m`);
  assert.ok(Math.abs(length - state.distance) < 1e-4, `${length} m, ${state.distance} m`);
  await page.evaluate(() => sinew.view.collision.remove("wall"));
  await until(page, () => sinew.view.collision.state?.blocked === false);
  await until(page, () => document.getElementById("nearest").hidden);
  assert.deepEqual(page.problems, []);
});

test("a pair that is switched off is said to be", async () => {
  const page = await openCockpit(system.url);
  const set = (guarded) =>
    page.evaluate(
      async (guarded) =>
        sinew.cockpit.request(sinew.cockpit.roles.guard, "setCollisionPair", {
          link_a: "leg1_link5",
          link_b: "leg2_link5",
          guarded,
        }),
      guarded,
    );
  assert.equal(await set(false), "");
  await until(page, () =>
    /pairs? off$/.test(document.querySelector("[data-key=showsBodies]").textContent),
  );
  assert.equal(await set(true), "");
  await until(
    page,
    () => document.querySelector("[data-key=showsBodies]").textContent === "Bodies",
  );
  assert.deepEqual(page.problems, []);
});
