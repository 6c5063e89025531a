import assert from "node:assert/strict";
import { test } from "node:test";
import { openCockpit, owner, System, until } from "./rig.mjs";

const system = await new System().start();

const cell = (limb, controller) => `.cell[data-limb=${limb}][data-controller=${controller}]`;
const owns = (page, limb, controller) =>
  until(page, ([name, who]) => sinew.cockpit.ownerOf(name) === who, [limb, controller]);

test("limbs are given and come back", async () => {
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

test("the keyboard stays on the button that it pressed", async () => {
  const page = await openCockpit(system.url);
  await page.click("#tab-control");
  await page.focus(cell("leg4", "follow"));
  await page.keyboard.press("Enter");
  await owns(page, "leg4", "follow");
  await page.waitForSelector(`${cell("leg4", "follow")}[aria-pressed=true]:focus`);
});
