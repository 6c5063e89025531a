// Simulated servos behind a port; the hand that moves them types at the simulator.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage, owner, PHONE, robots, program, System, until } from "./rig.mjs";

const JOINTS = [
  "shoulder_pan",
  "shoulder_lift",
  "elbow_flex",
  "wrist_flex",
  "wrist_roll",
  "gripper",
];
const COUNT = (2 * Math.PI) / 4096; // rad
const system = new System("", join(robots, "desk_arm.yaml"));
const port = join(system.folder, "port");
const file = join(system.folder, "arm.yaml");
const args = ["bus", "simulate", "--family", "feetech_sts", "--ids", "1-6", "--port", port];
const servos = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
after(() => servos.kill("SIGTERM"));
await new Promise((done) => servos.stdout.once("data", done));
const list = JOINTS.map((joint, i) => `{joint: ${joint}, id: ${i + 1}}`).join(", ");
// Long timeouts: other tests use the processor, too.
system.more = `  plant:
    type: driver_feetech
    properties: {ports: [${port}], baud: 1000000, period: 0.05, answer_time: 0.01, goal_timeout: 60, guard_timeout: 10,
                 calibration_file: ${file}, servos: [${list}]}
`;
await system.start();

const step = (page, name) => page.waitForSelector(`#calibration[data-step=${name}]`);
const next = (page) => page.click("#calibrate-next:enabled");

async function openCalibration(options) {
  const page = await openPage(system.url, options);
  await page.click("#tab-servos");
  await step(page, "idle");
  await until(page, () =>
    [...document.querySelectorAll(".torque")].every((cell) => cell.textContent === "on"),
  );
  return page;
}

/** Support the arm, let it go limp, go to position 0. */
async function goToEnds(page) {
  await next(page);
  await step(page, "support");
  assert.match(await page.textContent("#calibration"), /without support it falls/);
  await next(page);
  await step(page, "zero");
  await until(page, () => {
    const cells = [...document.querySelectorAll(".torque")];
    return cells.length === 6 && cells.every((cell) => cell.textContent === "off");
  });
  await next(page);
  await step(page, "ends");
  await page.waitForSelector("[data-calibrate=gripper]");
}

/** Turn a servo by hand until the page shows its joint there. */
async function turn(page, id, q, range) {
  servos.stdin.write(`move ${id} ${q}\n`);
  await until(
    page,
    ([joint, text]) =>
      document.querySelector(`[data-calibrate=${joint}] output`)?.textContent === text,
    [JOINTS[id - 1], range],
  );
}

test("an arm is calibrated by hand, from support to the saved file", async () => {
  const page = await openCalibration();
  await goToEnds(page);
  assert.equal(await page.isDisabled("#calibrate-next"), true);
  for (let id = 1; id <= 6; id++) {
    await turn(page, id, -0.7, "-40° … 0°");
    await turn(page, id, 0.9, "-40° … 52°");
    await page.waitForSelector(`[data-calibrate=${JOINTS[id - 1]}].done`);
  }
  await next(page);
  await step(page, "review");
  await page.locator("[data-calibrate=wrist_roll] input").check();
  await until(
    page,
    () => document.querySelector("[data-calibrate=wrist_roll] output").textContent === "-52° … 40°",
  );
  assert.equal(existsSync(file), false);
  await next(page);
  await step(page, "saved");
  assert.match(await page.textContent("#calibration"), /counts from the next start/);
  const saved = JSON.parse(readFileSync(file, "utf8").replace(/^#.*\n/, ""));
  assert.deepEqual(Object.keys(saved), JOINTS);
  const near = (a, b) => Math.abs(a - b) <= 1.1 * COUNT;
  assert.ok(near(saved.elbow_flex.min, -0.7) && near(saved.elbow_flex.max, 0.9));
  assert.equal(saved.elbow_flex.direction, 1);
  assert.ok(near(saved.wrist_roll.min, -0.9) && near(saved.wrist_roll.max, 0.7));
  assert.equal(saved.wrist_roll.direction, -1);
  await next(page);
  await step(page, "idle");
  await until(page, () => [...sinew.cockpit.owners.values()].every((name) => name === "hold"));
  assert.deepEqual(page.problems, []);
});

test("cancelled at any step, the arm is held and nothing changes", async () => {
  const before = readFileSync(file, "utf8");
  const page = await openCalibration(PHONE);
  await goToEnds(page);
  const limb = await page.evaluate(() => sinew.cockpit.resources[0]);
  assert.equal(await owner(page, limb), "torque_off");
  await page.click("#calibrate-cancel");
  await step(page, "idle");
  await until(page, () => [...sinew.cockpit.owners.values()].every((name) => name === "hold"));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `the page is ${width} px wide`);
  assert.equal(readFileSync(file, "utf8"), before);
});

test("a servo that no longer answers ends it with the reason", async () => {
  const before = readFileSync(file, "utf8");
  const page = await openCalibration();
  await goToEnds(page);
  servos.stdin.write("away 3\n");
  await step(page, "ended");
  assert.match(await page.textContent("#calibration"), /does not answer.*elbow_flex/s);
  assert.equal(readFileSync(file, "utf8"), before);
  servos.stdin.write("back 3\n");
  await next(page);
  await step(page, "idle");
});
