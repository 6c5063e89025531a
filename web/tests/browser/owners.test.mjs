import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openCockpit, openPage, owner, robots, System, until } from "./rig.mjs";

const system = await new System().start();
const arm = await new System("", join(robots, "arm6.yaml")).start();

const cell = (limb, controller) => `.cell[data-limb=${limb}][data-controller=${controller}]`;
const owns = (page, limb, controller) =>
  until(page, ([name, who]) => sinew.cockpit.ownerOf(name) === who, [limb, controller]);

test("limbs are taken and given back", async () => {
  const page = await openCockpit(system.url);
  await page.click("#tab-control");
  await page.click(cell("leg2", "follow"));
  await owns(page, "leg2", "follow");
  assert.equal(await owner(page, "leg1"), "hold");
  await page.waitForSelector(`${cell("leg2", "follow")}[aria-pressed=true]`);
  await page.click(cell("leg3", "follow"));
  await owns(page, "leg3", "follow");
  assert.equal(await owner(page, "leg2"), "follow", "what it had it keeps");
  await page.click(cell("leg2", "follow")); // a second press gives it back
  await owns(page, "leg2", "hold");
  assert.equal(await owner(page, "leg3"), "follow");
  await page.click(cell("leg3", "hold")); // or another one takes it
  await owns(page, "leg3", "hold");
});

test("switches turn controllers on and off as a whole", async () => {
  const page = await openCockpit(system.url);
  await page.click("#tab-control");
  const follow = "[role=switch][data-controller=follow]";
  await page.click(follow);
  await page.waitForSelector(`${follow}[aria-checked=true]`);
  for (const limb of ["leg1", "leg2", "leg3", "leg4", "head"]) {
    await owns(page, limb, "follow");
  }
  await page.click(follow);
  await page.waitForSelector(`${follow}[aria-checked=false]`);
  await owns(page, "head", "hold");
});

test("the focus stays on the button that was pressed", async () => {
  const page = await openCockpit(system.url);
  await page.click("#tab-control");
  await page.focus(cell("leg4", "follow"));
  await page.keyboard.press("Enter");
  await owns(page, "leg4", "follow");
  await page.waitForSelector(`${cell("leg4", "follow")}[aria-pressed=true]:focus`);
});

const question = (page) => page.getByRole("alertdialog");

test("torque off for the whole robot needs a confirmation; for one limb it does not", async () => {
  const page = await openCockpit(system.url);
  await page.click("#tab-control");
  const all = "[role=switch][data-controller=torque_off]";
  await page.click(all);
  await question(page).getByText("A standing robot will fall").waitFor();
  assert.equal(await owner(page, "leg1"), "hold", "nothing has happened yet");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
  await page.keyboard.press("Escape");
  await question(page).waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  assert.equal(await owner(page, "leg1"), "hold", "and does not");

  // The stop works meanwhile, and closes the dialog.
  await page.click(all);
  await question(page).waitFor();
  await page.keyboard.press("Space");
  await page.waitForSelector("#stopped:not([hidden])");
  await question(page).waitFor({ state: "detached" });
  await page.click("#resume");
  await page.waitForSelector("#stopped", { state: "hidden" });

  await page.click(cell("head", "torque_off"));
  await owns(page, "head", "torque_off");
  assert.equal(await question(page).count(), 0);

  await page.click(cell("head", "torque_off"));
  await owns(page, "head", "hold");
  await page.click(all);
  await question(page).getByRole("button", { name: "Torque off" }).click();
  await owns(page, "leg1", "torque_off");
  await page.click(all); // switching back on needs no confirmation
  await owns(page, "leg1", "hold");
});

test("torque off for an arm with one limb needs a confirmation", async () => {
  const page = await openPage(arm.url);
  await page.click("#tab-control");
  await page.click(".cell[data-controller=torque_off]");
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await page.waitForTimeout(300);
  assert.equal(
    await page.getAttribute(".cell[data-controller=torque_off]", "aria-pressed"),
    "false",
  );
});
