import assert from "node:assert/strict";
import { test } from "node:test";
import { openCockpit, System, until } from "./rig.mjs";

const system = await new System().start();

test("the robot is shown with its limbs, without errors", async () => {
  const page = await openCockpit(system.url);
  assert.equal(await page.textContent("#robot-name"), "quadruped");
  assert.equal(await page.textContent("#connection"), "Connected");
  const limbs = await page.$$eval(".limb", (nodes) => nodes.map((node) => node.dataset.limb));
  assert.deepEqual(limbs, ["leg1", "leg2", "leg3", "leg4", "head"]);
  await until(page, () => sinew.view.stage.frames > 0 && sinew.cockpit.measured.isKnown);
  assert.deepEqual(page.problems, []);
});

test("the robot is really drawn", async () => {
  const page = await openCockpit(system.url);
  await until(page, () => sinew.view.stage.frames > 0);
  const colours = await page.evaluate(async () => {
    const { stage } = sinew.view;
    stage.draw();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const picture = document.createElement("canvas");
    picture.width = picture.height = 64;
    const context = picture.getContext("2d");
    stage.renderNow();
    context.drawImage(stage.canvas, 0, 0, 64, 64);
    const { data } = context.getImageData(0, 0, 64, 64);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) {
      seen.add(`${data[i] >> 5} ${data[i + 1] >> 5} ${data[i + 2] >> 5} ${data[i + 3] >> 7}`);
    }
    return seen.size;
  });
  assert.ok(colours > 8, `${colours} colours`);
});

test("every control has a name", async () => {
  const page = await openCockpit(system.url);
  const nameless = await page.$$eval(
    "button, input:not([type=hidden]), select, #canvas, a",
    (nodes) =>
      nodes
        .filter((node) => {
          const label = node.labels?.length > 0 ? node.labels[0].textContent : "";
          const name = node.getAttribute("aria-label") || node.textContent || label;
          return !name.trim();
        })
        .map((node) => node.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(nameless, []);
});

test("the log and the timing arrive", async () => {
  const page = await openCockpit(system.url);
  await page.click("#tab-log");
  await page.waitForSelector(".log li");
  assert.match(await page.textContent(".log"), /leg1: free -> hold/);
  await page.click("#tab-system");
  await page.waitForSelector(".histogram .bar");
  assert.match(await page.textContent("[role=tabpanel]:not([hidden]) .data"), /aggregator/);
});
