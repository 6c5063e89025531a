import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { desired, openCockpit, owner, reaches, System, until } from "./rig.mjs";

const JOINT = "head_joint1";
const system = new System();
const folder = join(system.folder, "movements");

/** Turns the head to an angle and back, in this many seconds. */
function nod(angle, seconds) {
  const point = (position, secs) => ({
    positions: [position],
    time_from_start: { secs, nsecs: 0 },
  });
  const points = [point(0, 0), point(angle, seconds / 2), point(0, seconds)];
  return JSON.stringify({ trajectory: { joint_names: [JOINT], points } });
}
mkdirSync(folder);
writeFileSync(join(folder, "nod.json"), nod(0.2, 8));
writeFileSync(join(folder, "long.json"), nod(0.3, 600));
writeFileSync(join(folder, "cut.json"), nod(0.2, 2).slice(0, 60));
await system.start();

async function openMovements() {
  const page = await openCockpit(system.url);
  await page.click("#tab-movements");
  await page.waitForSelector("#movements li");
  return page;
}
const verdict = (page) => page.textContent("#movements .verdict");

test("the library is listed and a movement is played to its end", async () => {
  const page = await openMovements();
  const names = await page.locator("#movements li .name").allTextContents();
  assert.deepEqual(names, ["cut", "long", "nod"]);
  await page.getByLabel("Play nod").click();
  await page.waitForSelector("#movements .playing:visible");
  await until(page, (joint) => sinew.cockpit.desired.positionOf(joint) > 0.1, JOINT);
  await until(page, () => document.querySelector("#movements .verdict").textContent !== "");
  assert.equal(await verdict(page), "nod: done");
  assert.ok(Math.abs(await desired(page, JOINT)) < 0.01);
});

test("a movement is stopped where it is", async () => {
  const page = await openMovements();
  await page.getByLabel("Play long").click();
  await page.waitForSelector("#movements .playing:visible");
  assert.match(await page.textContent("#movements .playing"), /long.* of 600\.0 s/);
  await page.click("#movement-stop");
  await page.waitForSelector("#movements .playing", { state: "hidden" });
  assert.equal(await verdict(page), "long: stopped");
});

test("a file that cannot be played says where it is wrong", async () => {
  const page = await openMovements();
  await page.getByLabel("Play cut").click();
  await until(page, () => document.querySelector("#movements .verdict.bad") !== null);
  assert.match(await verdict(page), /cut\.json:1/);
});

test("a limp limb is recorded, saved and played", async () => {
  const page = await openMovements();
  await page.check("#movement-record [data-limb=head]");
  await page.fill("#movement-record input[name=movement]", "wave");
  await page.getByRole("button", { name: "Record", exact: true }).last().click();
  await until(page, () => sinew.cockpit.ownerOf("head") === "torque_off");
  await until(page, () =>
    /wave: [1-9]/.test(document.querySelector("#movement-record").textContent),
  );
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByLabel("Play wave").waitFor();
  await until(page, () => sinew.cockpit.ownerOf("head") === "hold");
  const saved = JSON.parse(readFileSync(join(folder, "wave.json"), "utf8"));
  assert.ok(saved.trajectory.joint_names.every((name) => name.startsWith("head_")));
  assert.ok(saved.trajectory.points.length >= 2);
  await page.getByLabel("Play wave").click();
  await until(
    page,
    () => document.querySelector("#movements .verdict").textContent === "wave: done",
  );
});

test("a recording is discarded, and an existing file is never replaced", async () => {
  const page = await openMovements();
  const record = page.getByRole("button", { name: "Record", exact: true }).last();
  await page.check("#movement-record [data-limb=head]");
  await page.fill("#movement-record input[name=movement]", "gone");
  await record.click();
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await until(page, () => sinew.cockpit.ownerOf("head") === "hold");
  assert.equal(existsSync(join(folder, "gone.json")), false);
  await page.fill("#movement-record input[name=movement]", "nod");
  await record.click();
  await until(page, () => document.querySelector("#movements .verdict.bad") !== null);
  assert.match(await verdict(page), /there is a movement 'nod' already/);
  assert.equal(await owner(page, "head"), "hold");
});

test("limp legs are recorded only after a question, and a pose is saved", async () => {
  const page = await openMovements();
  await page.check("#movement-record [data-limb=leg1]");
  await page.fill("#movement-record input[name=movement]", "legs");
  await page.getByRole("button", { name: "Record", exact: true }).last().click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await owner(page, "leg1"), "hold");
  await page.getByRole("button", { name: "Save pose" }).click();
  const before = await desired(page, JOINT);
  await page.locator(".poses [data-movement=legs]").waitFor();
  await page.getByLabel("Play long").click();
  await until(page, (joint) => sinew.cockpit.desired.positionOf(joint) > 0.002, JOINT);
  await page.locator(".poses [data-movement=legs]").click();
  await reaches(page, JOINT, before);
  await until(
    page,
    () => document.querySelector("#movements .verdict").textContent === "legs: done",
  );
});
