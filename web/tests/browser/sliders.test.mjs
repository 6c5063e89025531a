import assert from "node:assert/strict";
import { test } from "node:test";
import { desired, enter, openCockpit, owner, reaches, System, take, until } from "./rig.mjs";

const system = await new System().start();

test("sliders of a limb that was not taken do not move", async () => {
  const page = await openCockpit(system.url);
  assert.equal(await page.isDisabled("input[data-joint=leg2_joint3]"), true);
});

test("a slider moves the robot: by typing, by keys, by the mouse", async () => {
  const page = await openCockpit(system.url);
  await take(page, "leg1");
  assert.equal(await owner(page, "leg1"), "follow");
  await enter(page, "leg1_joint3", 0.3);
  await reaches(page, "leg1_joint3", 0.3, 1e-3);
  // The simulated servos follow, and so does the picture.
  await until(page, () => Math.abs(sinew.cockpit.measured.positionOf("leg1_joint3") - 0.3) < 0.05);
  await until(page, () => Math.abs(sinew.view.figure.robot.joints.leg1_joint3.angle - 0.3) < 0.01);

  await page.focus("input[data-joint=leg1_joint3]");
  await page.keyboard.press("ArrowRight");
  await until(page, () => sinew.cockpit.desired.positionOf("leg1_joint3") > 0.305);

  const slider = page.locator("input[data-joint=leg1_joint4]");
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.55, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  const wanted = await slider.evaluate((node) => node.valueAsNumber);
  await reaches(page, "leg1_joint4", wanted, 1e-3);
  assert.deepEqual(page.problems, []);
});

test("values beyond the limits are clipped, text that is not a number is rejected", async () => {
  const page = await openCockpit(system.url);
  await take(page, "leg2");
  await enter(page, "leg2_joint1", 99);
  await reaches(page, "leg2_joint1", 0.6, 1e-3);
  const field = page.getByLabel("leg2_joint1, value");
  await enter(page, "leg2_joint1", "a lot");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await enter(page, "leg2_joint1", "0,1");
  await reaches(page, "leg2_joint1", 0.1, 1e-3);
});

test("a limb that is taken again does not move, and its sliders adopt its pose", async () => {
  const page = await openCockpit(system.url);
  await take(page, "head");
  await enter(page, "head_joint1", 0.25);
  await reaches(page, "head_joint1", 0.25, 1e-3);
  await page.click(".limb[data-limb=head] header button"); // release
  await until(page, () => sinew.cockpit.ownerOf("head") === "hold");
  // The slider must not keep an old target.
  await page.evaluate(() => {
    globalThis.extremes = [Infinity, -Infinity];
    globalThis.resets = 0;
    sinew.cockpit.onReset.on(() => globalThis.resets++);
    sinew.cockpit.onPose.on(() => {
      const q = sinew.cockpit.desired.positionOf("head_joint1");
      extremes = [Math.min(extremes[0], q), Math.max(extremes[1], q)];
    });
  });
  await page.click(".limb[data-limb=head] header button"); // take
  await page.waitForSelector(".limb[data-limb=head].adopting");
  assert.equal(await page.isDisabled("input[data-joint=head_joint1]"), true);
  await page.waitForSelector("input[data-joint=head_joint1]:enabled");
  const { extremes, resets, shown } = await page.evaluate(() => ({
    extremes,
    resets,
    shown: document.querySelector("input[data-joint=head_joint1]").valueAsNumber,
  }));
  assert.ok(resets > 0, "the pose to adopt was published");
  assert.ok(extremes[1] - extremes[0] < 2e-3, `it moved from ${extremes[0]} to ${extremes[1]}`);
  assert.ok(Math.abs(shown - 0.25) < 2e-3, `the slider shows ${shown}`);
  await enter(page, "head_joint1", 0.1);
  await reaches(page, "head_joint1", 0.1, 1e-3);
  assert.ok(Math.abs((await desired(page, "head_joint1")) - 0.1) < 1e-3);
});
