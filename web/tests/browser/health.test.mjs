// Simulated servos behind a port, so that the driver, its health topic and the page are real.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage, program, robots, System, until } from "./rig.mjs";

const folder = mkdtempSync(join(tmpdir(), "sinew-health-"));
const port = join(folder, "port");
const args = ["bus", "simulate", "--family", "dynamixel", "--ids", "11-16", "--port", port];
const servos = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
after(() => {
  servos.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});
await new Promise((done) => servos.stdout.once("data", done));

const list = [1, 2, 3, 4, 5, 6].map((i) => `{joint: joint${i}, id: ${10 + i}}`).join(", ");
// Long timeouts: other tests use the processor, too.
const driver = `  plant:
    type: driver_dynamixel
    properties: {ports: [${port}], baud: 1000000, period: 0.05, answer_time: 0.01, goal_timeout: 30, guard_timeout: 10,
                 servos: [${list}]}
`;
const system = await new System(driver, join(robots, "arm6.yaml")).start();

const cells = (page, joint) =>
  page.evaluate(
    (name) =>
      [...document.querySelectorAll(`tr[data-health=${name}] > *`)].map((cell) => cell.textContent),
    joint,
  );

test("torque, temperature, voltage, load, errors and id of each servo", async () => {
  const page = await openPage(system.url);
  await page.click("#tab-servos");
  await page.waitForSelector("tr[data-health=joint6]");
  await until(page, () =>
    [...document.querySelectorAll(".torque")].every((cell) => cell.textContent === "on"),
  );
  const [name, id, torque, temperature, voltage, load] = await cells(page, "joint3");
  assert.deepEqual([name, id, torque], ["joint3", "13", "on"]);
  assert.match(temperature, /^\d+$/);
  assert.match(voltage, /^1\d\.\d$/);
  assert.match(load, /^-?\d+$/);
  assert.match(await page.textContent("#health"), /cycles\/s/);

  servos.stdin.write("away 13\n");
  await until(page, () =>
    /no answer/.test(document.querySelector("tr[data-health=joint3].bad")?.textContent ?? ""),
  );
  await page.waitForSelector("#tab-servos[data-count]");
  assert.deepEqual((await cells(page, "joint3")).slice(2, 5), ["–", "–", "–"]);
  servos.stdin.write("back 13\n");
  await page.waitForSelector("tr[data-health=joint3]:not(.bad)");

  // Too hot: the servo is released until it has cooled down and the user rearms it.
  servos.stdin.write("hot 12 95\n");
  await until(page, () =>
    /off.*too hot/.test(document.querySelector("tr[data-health=joint2].bad")?.textContent ?? ""),
  );
  servos.stdin.write("hot 12 35\n");
  await until(
    page,
    () =>
      Number(document.querySelector("tr[data-health=joint2] td:nth-of-type(3)").textContent) < 40,
  );
  assert.equal((await cells(page, "joint2"))[2], "off");
  await page.getByRole("button", { name: "Rearm" }).click();
  await until(
    page,
    () => document.querySelector("tr[data-health=joint2] .torque").textContent === "on",
  );
  assert.deepEqual(page.problems, []);
});
