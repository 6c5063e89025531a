// Poses that are stated with the robot, in its property file and in an SRDF, beside those of the library.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPage, reaches, robots, System } from "./rig.mjs";

const system = new System(
  "  movements: {properties: {srdf: arm.srdf}}\n",
  join(robots, "arm6.yaml"),
);
writeFileSync(
  join(system.folder, "arm.srdf"),
  `<robot name="arm6"><group name="arm"><chain base_link="base_link" tip_link="tool0"/></group>
<group_state name="look left" group="arm"><joint name="joint1" value="0.5"/></group_state></robot>\n`,
);
await system.start();

async function open(tab) {
  const page = await openPage(system.url);
  await page.waitForSelector("#stage[data-robot]");
  await page.click(`#tab-${tab}`);
  return page;
}

test("each pose of the property file and of the SRDF has a button that leads there", async () => {
  const page = await open("movements");
  const poses = page.locator("#movements .poses button");
  await poses.nth(2).waitFor();
  assert.deepEqual(await poses.allTextContents(), ["home", "upright", "look left"]);
  await page.getByRole("button", { name: "look left" }).click();
  await reaches(page, "joint1", 0.5);
  await page.getByRole("button", { name: "upright" }).click();
  await reaches(page, "joint1", 0);
  assert.deepEqual(page.problems, []);
});

test("only points of the library can be removed", async () => {
  const page = await open("tool");
  await page.locator("[data-point=home]").waitFor();
  await page.getByLabel("Name of the new point").fill("mine");
  await page.getByRole("button", { name: "Save point" }).click();
  await page.locator("[data-point=mine]").waitFor();
  const removers = page.locator("#points [aria-label^=Remove]");
  assert.deepEqual(await removers.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel)), [
    "Remove mine",
  ]);
  await removers.click();
  await page.locator("[data-point=mine]").waitFor({ state: "detached" });
  assert.equal(await page.locator("[data-point]").count(), 3);
  assert.deepEqual(page.problems, []);
});
