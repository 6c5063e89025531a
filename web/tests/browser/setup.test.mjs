import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPage, PHONE, robots, System, until } from "./rig.mjs";

/** An arm that runs from its URDF, without a deployment. Its time passes slowly, and its cycle is long, so that it
 *  loses few to the browser. */
class Bare extends System {
  constructor() {
    super();
    copyFileSync(join(robots, "desk_arm.urdf"), join(this.folder, "arm.urdf"));
  }

  command() {
    const slow = ["--set", "control.period=0.01", "--clock", "x0.3"];
    return ["run", "arm.urdf", "--port", String(this.port), "--socket", "c.sock", ...slow];
  }

  get file() {
    return join(this.folder, "arm.yaml");
  }
}

async function openSetup(url, options) {
  const page = await openPage(url, options);
  await page.waitForSelector("#stage[data-robot]");
  await until(page, () => sinew.cockpit.joints.length > 0 && sinew.cockpit.components.length > 0);
  await page.click("#tab-setup");
  await page.waitForSelector("[data-limb-row]");
  return page;
}

const type = async (page, label, text) => {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(text);
  await field.press("Enter");
};

const state = (page, text) => page.locator("#setup-state", { hasText: text }).waitFor();

async function save(page) {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await state(page, /^Saved\. .* started again/);
}

const limbs = (page) =>
  page.evaluate(async () => {
    const { client } = sinew.cockpit;
    const { chains } = await client.call("/robot_model/listLimbs");
    return Promise.all(
      chains.map(async (name) => {
        const { links } = await client.call("/robot_model/getChain", { name });
        return [name, links[0], links.at(-1)];
      }),
    );
  });

/** Starts the program again and waits until the page has noticed. */
async function restart(system, page) {
  const session = await page.evaluate(() => sinew.cockpit.client.info.sessionId);
  await system.stop();
  await system.start();
  await until(page, (old) => (sinew.cockpit.client.info?.sessionId ?? old) !== old, session);
  await until(page, () => sinew.cockpit.client.hasService("/robot_model/listLimbs"));
}

test("from a URDF to a robot that starts with the limbs, poses and limits that were chosen", async () => {
  const system = await new Bare().start();
  const page = await openSetup(system.url);
  const found = await limbs(page);
  assert.deepEqual(
    found.map(([name]) => name),
    ["arm", "gripper"],
  );
  assert.match(await page.textContent("#setup-file"), /arm\.yaml$/);
  assert.ok(!existsSync(system.file));

  await type(page, "Name of arm", "right");
  await page.getByLabel("Tip of right", { exact: true }).selectOption("gripper_link");
  await page.getByLabel("Gripper", { exact: true }).selectOption("");
  await type(page, "Name of the pose", "rest");
  await type(page, "Lowest of elbow_flex", "-1.5");
  await type(page, "Speed of elbow_flex", "0.5");
  await page.locator("#setup-changes", { hasText: "velocity: 0.5" }).waitFor();
  const preview = await page.textContent("#setup-changes");
  assert.match(preview, /\+ {3}right:\n\+ {5}first_link: base_link\n\+ {5}last_link: gripper_link/);
  assert.match(preview, /\+ {3}elbow_flex: \{lower: -1\.5, velocity: 0\.5\}/);
  assert.ok(!existsSync(system.file), "a preview writes nothing");

  await save(page);
  const text = readFileSync(system.file, "utf8");
  assert.equal(text, await page.inputValue("#setup-text"));
  assert.deepEqual(await limbs(page), found, "the robot goes on as before");

  await restart(system, page);
  assert.deepEqual(await limbs(page), [
    ["right", "base_link", "gripper_link"],
    ["hand", found[1][1], found[1][2]],
  ]);
  await until(page, () => sinew.cockpit.limitsOf("elbow_flex").lower === -1.5);
  await state(page, "No changes.");
  const poses = await page.evaluate(() => sinew.cockpit.client.call("/movements/listMovements"));
  assert.deepEqual(poses.name, ["rest"]);
  assert.deepEqual(
    page.problems.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text)),
    [],
  );
});

const arm = new System(
  "activities: {control: {period: 0.01}}\n",
  "arm.yaml",
  {},
  { options: ["--clock", "x0.3"] },
);
const file = join(arm.folder, "arm.yaml");
const before = readFileSync(join(robots, "arm6.yaml"), "utf8");
copyFileSync(join(robots, "arm6.urdf"), join(arm.folder, "arm6.urdf"));
writeFileSync(file, before);
await arm.start();

test("a refusal is shown at the entry that it is about, and the file stays", async () => {
  const page = await openSetup(arm.url);
  await type(page, "Highest of joint3", "99");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const row = page.locator("#setup-limits tr", { has: page.getByRole("alert") });
  await row.waitFor();
  assert.match(await row.textContent(), /joint3.*within the limits of the robot/);
  assert.match(await page.textContent("#setup-refusal"), /arm\.yaml:\d+/);
  assert.equal(readFileSync(file, "utf8"), before);
  await page.getByRole("button", { name: "Undo changes" }).click();
  await state(page, "No changes.");
  assert.equal(await page.locator("#setup-limits [role=alert]").count(), 0);
});

test("comments stay, groups follow a name, and a point of the tool page moves into the file", async () => {
  const page = await openSetup(arm.url);
  await page.evaluate(() => sinew.cockpit.client.call("/movements/savePose", { name: "p1" }));
  await page.click("#tab-movements");
  await page.click("#tab-setup");
  await page.getByRole("button", { name: "Write the point p1 into the file" }).click();
  await type(page, "Name of arm", "left");
  await page.locator("#setup-changes", { hasText: "chains: [left]" }).waitFor();
  await page.getByRole("button", { name: "Remove the pose upright" }).click();
  await page.locator("#setup-changes", { hasText: "p1: " }).waitFor();
  await save(page);
  const text = readFileSync(file, "utf8");
  assert.match(text, /^# Chain, contact and group of the six-axis arm/);
  assert.match(text, /flange: # three bolts of the flange/);
  assert.match(text, /chains: \[left\]/);
  assert.match(text, /^ {2}p1: \{joint1: /m);
  assert.doesNotMatch(text, /upright/);
  assert.deepEqual(page.problems, []);
});

test("a file that somebody else has changed is not overwritten", async () => {
  const page = await openSetup(arm.url);
  const other = `${readFileSync(file, "utf8")}# by another hand\n`;
  await type(page, "Lowest of joint2", "-1");
  writeFileSync(file, other);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator("#setup-refusal", { hasText: "changed by somebody else" }).waitFor();
  assert.equal(readFileSync(file, "utf8"), other);
  await page.getByRole("button", { name: "Undo changes" }).click();
  await until(page, () => document.querySelector("#setup-text").value.includes("another hand"));
});

test("text that the forms cannot show is edited as text, and refused by the program with its line", async () => {
  const page = await openSetup(arm.url);
  await page.click("#setup-save-card summary");
  const text = page.getByLabel("Text of the property file");
  await text.fill("robot: arm6.urdf\nposes: {home: {joint1");
  await page.locator("#setup-refusal", { hasText: "line 2" }).waitFor();
  assert.ok(
    await page
      .getByLabel("Name of arm", { exact: true })
      .or(page.getByLabel("Name of left"))
      .first()
      .isDisabled(),
  );
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator("#setup-refusal", { hasText: /arm\.yaml:\d/ }).waitFor();
});

test("it works with the keyboard, and fits a phone", async () => {
  const page = await openSetup(arm.url, PHONE);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} px wide`);
  const name = page.locator("[data-limb-row] input").first();
  await name.focus();
  await page.keyboard.press("End");
  await page.keyboard.type("2");
  await page.keyboard.press("Tab"); // commits; the next control has the focus
  await page.locator("#setup-changes").waitFor();
  const bar = await page.locator("#setup-save").boundingBox();
  const stop = await page.locator("#stop").boundingBox();
  assert.ok(bar.y + bar.height <= stop.y, "the stop covers nothing");
  const unnamed = await page.evaluate(
    () =>
      [...document.querySelectorAll("#setup-limbs, #setup-poses, #setup-limits")]
        .flatMap((card) => [...card.querySelectorAll("input, select, button")])
        .filter((field) => {
          const label = field.closest("label")?.textContent ?? "";
          return !(field.getAttribute("aria-label") ?? `${label}${field.textContent}`).trim();
        }).length,
  );
  assert.equal(unnamed, 0);
});
