// The stop button is visible at every window size, whatever else the page shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openCockpit, PHONE, System, until } from "./rig.mjs";

const system = await new System().start();
const PHONES = ["320x568", "360x740", "390x844", "412x915", "844x390"];
const DESKS = ["768x1024", "1280x720", "1440x900"];

/** Checks that the whole stop button is visible and nothing covers it. */
function look() {
  const box = document.querySelector("#stop").getBoundingClientRect();
  const view = visualViewport;
  const points = [
    [0.5, 0.5],
    [0.03, 0.12],
    [0.97, 0.12],
    [0.03, 0.88],
    [0.97, 0.88],
  ];
  return {
    box: [box.left, box.top, box.right, box.bottom].map(Math.round),
    view: [view.width, view.height, view.scale].map((value) => Math.round(100 * value) / 100),
    isInside:
      box.left >= view.offsetLeft &&
      box.top >= view.offsetTop &&
      box.right <= view.offsetLeft + view.width &&
      box.bottom <= view.offsetTop + view.height,
    isOnTop: points.every(([x, y]) =>
      document
        .elementFromPoint(box.left + x * box.width, box.top + y * box.height)
        ?.closest("#stop"),
    ),
    isLarge: box.width >= 100 && box.height >= 40,
  };
}

async function isSeen(page, sizes, state) {
  for (const size of sizes) {
    const [width, height] = size.split("x").map(Number);
    await page.setViewportSize({ width, height });
    await until(page, ([w, h]) => innerWidth >= w && innerHeight >= h, [width, height]);
    const seen = await page.evaluate(look);
    const where = `${size}, ${state}: ${JSON.stringify(seen)}`;
    assert.ok(seen.isInside && seen.isOnTop && seen.isLarge, where);
    assert.deepEqual(seen.view, [width, height, 1], `the page is as wide as the screen: ${where}`);
  }
}

/** States that make the page longer, wider or fuller, one after the other. */
async function goThrough(page, sizes) {
  const check = (state) => isSeen(page, sizes, state);
  await check("normal");
  await page.evaluate(() => {
    scrollTo(0, 1e4);
    document.querySelector("#panels").scrollTo(0, 1e4);
  });
  await check("scrolled");
  await page.click("#record");
  await page.waitForSelector("#record[aria-pressed=true]");
  await check("recording");
  await page.click("#record");
  await page.waitForSelector("#download:not([hidden])");
  await check("with a download");
  await page.evaluate(() => {
    for (let i = 0; i < 6; i++) {
      sinew.cockpit.onNotice.emit(`${i}: ${"a long message of the robot, ".repeat(12)}`);
    }
  });
  await check("with messages");
  await page.evaluate(() => {
    const late = { name: "control", period_ns: 1e6, late: true, lost: 640, overran: 12 };
    sinew.cockpit.onTiming.emit({ activities: [late], components: [] });
  });
  await check("too slow");
  await page.click("#stop");
  await page.waitForSelector("#stopped:not([hidden])");
  await check("stopped");
  await page.click("#resume");
  await page.waitForSelector("#stopped", { state: "hidden" });
}

test("the stop is visible and uncovered: eight sizes, every state", async () => {
  const phone = await openCockpit(system.url, PHONE);
  await goThrough(phone, PHONES);
  const desk = await openCockpit(system.url);
  await goThrough(desk, DESKS);
  await system.stop();
  for (const [page, sizes] of [
    [phone, PHONES],
    [desk, DESKS],
  ]) {
    await until(page, () => sinew.cockpit.client.state !== "open");
    await isSeen(page, sizes, "disconnected");
    await page.click("#stop");
    await page.waitForSelector("#stopped:not([hidden])");
    await isSeen(page, sizes, "disconnected and stopped");
  }
});
