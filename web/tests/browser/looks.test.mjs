import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openCockpit, openPage, PHONE, System, until } from "./rig.mjs";

const system = await new System().start();

const isDark = (page, expected) =>
  until(
    page,
    (wanted) => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
      return wanted ? r + g + b < 180 : r + g + b > 600;
    },
    expected,
  );

test("a phone shows every panel, and the stop is always visible", async () => {
  const page = await openCockpit(system.url, PHONE);
  for (const tab of [
    "joints",
    "control",
    "movements",
    "plots",
    "servos",
    "setup",
    "system",
    "log",
  ]) {
    await page.tap(`#tab-${tab}`);
    await page.waitForSelector(`#tab-${tab}[aria-selected=true]`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${tab}: ${width} px wide`);
    const stop = await page.locator("#stop").boundingBox();
    assert.ok(stop.y + stop.height <= 844 && stop.height >= 44, `${tab}: ${JSON.stringify(stop)}`);
    const top = await page.evaluate(() => {
      const box = document.querySelector("#stop").getBoundingClientRect();
      return (
        document
          .elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
          ?.closest("#stop") !== null
      );
    });
    assert.ok(top, `${tab}: nothing covers it`);
  }
  await page.tap("#tab-joints");
  await page.tap(".limb[data-limb=leg1] header button");
  await page.waitForSelector("input[data-joint=leg1_joint1]:enabled");
  await page.tap("#stop");
  await page.waitForSelector("#stopped:not([hidden])");
  await page.tap("#resume");
  await page.waitForSelector("#stopped", { state: "hidden" });
});

test("the theme follows the system until the user chooses", async () => {
  const page = await openPage(system.url, { colorScheme: "dark" });
  await isDark(page, true);
  await page.emulateMedia({ colorScheme: "light" });
  await isDark(page, false);
  await page.click("#theme");
  await isDark(page, true);
  await page.reload();
  await isDark(page, true); // the choice is remembered
});

test("an overloaded computer turns the header yellow", async () => {
  // Far more cycles than any computer can run. Without max_lost the robot would stop.
  const period = "\nactivities:\n  control: {period: 0.00001, max_lost: 1}\n";
  const busy = await new System(period).start();
  const page = await openPage(busy.url);
  await page.waitForSelector("#bar.is-late");
  assert.match(
    await page.textContent("#overload"),
    /control: \d+ of 100000 cycles (lost|too long)/,
  );
  const [r, g, b] = await page.evaluate(() =>
    getComputedStyle(document.querySelector("#bar")).backgroundColor.match(/\d+/g).map(Number),
  );
  assert.ok(r > 200 && g > 180 && b < 150, `yellow: ${[r, g, b]}`);
  await busy.stop();
  await page.waitForSelector("#bar:not(.is-late)"); // unknown now
});

test("plots: another joint, a pause, a zoom, an export", async () => {
  const page = await openCockpit(system.url);
  await page.getByLabel("Joint to plot").selectOption("leg2_joint3");
  await until(page, () => sinew.cockpit.history.count > 60);
  const box = await page.locator(".chart .u-over").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.98, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Reset zoom" }).waitFor();
  await page.getByRole("button", { name: "Continue" }).waitFor(); // zooming pauses
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "leg2_joint3.csv");
  const lines = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\n");
  assert.match(lines[0], /^time \(s\),leg2_joint3 reference/);
  const times = lines.slice(1).map((line) => Number(line.split(",")[0]));
  assert.ok(times.length > 0 && times.at(-1) - times[0] < 3, "only the zoomed range");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
});
