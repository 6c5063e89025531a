import assert from "node:assert/strict";
import { test } from "node:test";
import { openWalker, until, walker } from "./rig.mjs";

const system = await walker().start();

test("a fall is shown with its reason, and the robot is put back on its feet", async () => {
  const page = await openWalker(system.url);
  const height = await page.evaluate(() => sinew.cockpit.base.position.z);
  await page.evaluate(() =>
    sinew.cockpit.client.call("/plant/place", {
      base: { position: { x: 0.1, y: 0, z: 0.3 }, orientation: { x: 1, y: 0, z: 0, w: 0 } },
    }),
  );
  await page.waitForSelector("#fallen:visible");
  const text = await page.textContent("#fallen");
  assert.match(text, /Fallen The robot (tilts|leans|falls)/);
  await until(page, () => sinew.cockpit.stop?.stopped === true);
  await page.click("#upright");
  await page.waitForSelector("#fallen", { state: "hidden" });
  await until(page, () => sinew.cockpit.stop?.stopped === false);
  await until(
    page,
    (metres) => {
      const { position, orientation: q } = sinew.cockpit.base;
      const up = 1 - 2 * (q.x * q.x + q.y * q.y);
      return up > 0.98 && Math.abs(position.z - metres) < 0.1 * metres;
    },
    height,
  );
});
