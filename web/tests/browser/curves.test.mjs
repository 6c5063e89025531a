// Plots: visible from the start, in the user's unit, with nothing cut off.
import assert from "node:assert/strict";
import { test } from "node:test";
import { enter, openCockpit, reaches, System, take, until } from "./rig.mjs";

const system = await new System().start();
const JOINT = "leg1_joint4";

/** Number of pixels of each plot with the colour of its first series. */
const points = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".chart canvas")].map((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const style = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
      const colour = [1, 3, 5].map((at) => parseInt(style.slice(at, at + 2), 16));
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        const isNear = colour.every((part, c) => Math.abs(part - data[i + c]) < 40);
        count += isNear && data[i + 3] > 128 ? 1 : 0;
      }
      return count;
    }),
  );

test("missing measurements do not hide other curves", async () => {
  const page = await openCockpit(system.url, { deviceScaleFactor: 1 });
  await take(page, "leg1");
  await enter(page, JOINT, 0.5);
  await reaches(page, JOINT, 0.5, 1e-3);
  await page.getByLabel("Joint to plot").selectOption(JOINT);
  // Some rows without measurements, as at the start of a connection.
  await page.evaluate(() => {
    const { cockpit } = sinew;
    cockpit.measured.positionOf = cockpit.measured.effortOf = () => undefined;
    cockpit.history.reset(cockpit.joints);
    const end = cockpit.onPose.on(() => {
      if (cockpit.history.count > 20) {
        delete cockpit.measured.positionOf;
        delete cockpit.measured.effortOf;
        end();
      }
    });
  });
  await until(page, () => sinew.cockpit.history.count > 150);
  await page.waitForTimeout(200);
  for (const [chart, count] of (await points(page)).entries()) {
    assert.ok(count > 20, `chart ${chart}: ${count} points of the curve are seen`);
  }
});

test("plots use degrees, and labels do not repeat", async () => {
  const page = await openCockpit(system.url);
  await page.getByLabel("Joint to plot").selectOption("leg2_joint3");
  await until(page, () => sinew.cockpit.history.count > 30);
  const ranges = () => page.evaluate(() => sinew.plots.plots.map((plot) => plot.scales.y.max));
  const before = await ranges();
  await page.click("#unit");
  await until(page, () => document.querySelector(".chart h4").textContent.includes("deg"));
  await page.waitForTimeout(200);
  const inDegrees = await ranges();
  const ratio = (i) => inDegrees[i] / before[i];
  assert.ok(Math.abs(ratio(1) / (180 / Math.PI) - 1) < 0.2, `the error: ${ratio(1)}`);
  assert.ok(Math.abs(ratio(2) - 1) < 0.2, `the effort has no angle in it: ${ratio(2)}`);
  const labels = await page.evaluate(() =>
    sinew.plots.plots.flatMap((plot) => plot.axes.map((axis) => axis._values)),
  );
  for (const list of labels) {
    assert.equal(new Set(list).size, list.length, JSON.stringify(list));
  }
});

test("no legend entry is cut off", async () => {
  const page = await openCockpit(system.url);
  for (const width of [1100, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(100);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll(".chart .key")].flatMap((key) => {
        const box = key.getBoundingClientRect();
        const chart = key.closest(".chart").getBoundingClientRect();
        const at = document.elementFromPoint(box.right - 2, box.top + box.height / 2);
        const isSeen = key.contains(at) && box.right <= chart.right + 1;
        return isSeen ? [] : [key.textContent];
      }),
    );
    assert.deepEqual(cut, [], `${width} px`);
  }
});
