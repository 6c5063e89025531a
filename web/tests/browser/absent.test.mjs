// A minimal deployment: an arm without servos, inverse kinematics or recorder.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPage, robots, System, until } from "./rig.mjs";

class Small extends System {
  writeDeployment() {
    const file = join(this.folder, "system.yaml");
    writeFileSync(
      file,
      `robot: ${join(robots, "arm6.yaml")}
activities:
  control: {period: 0.002}
components:
  timer: {type: timer}
  resources_control: {type: resources_control}
  hold: {type: FollowJointState, properties: {stay_operational: true, start_operational: true, activation_delay: 0}}
  aggregator: {type: aggregator}
  cockpit: {type: cockpit, properties: {port: ${this.port}}}
connections:
  - timer.sync -> hold.sync
  - timer.sync -> aggregator.sync
  - hold.out_joints_ref -> aggregator.in_joints
  - aggregator.joints_sorted -> hold.in_joints_sorted
`,
    );
    return file;
  }
}
const system = await new Small().start();

test("panels of missing components are hidden", async () => {
  const page = await openPage(system.url);
  await page.waitForSelector("#stage[data-robot]");
  await until(page, () => sinew.cockpit.roles.aggregator !== undefined);
  await page.waitForSelector(".joint");
  assert.equal(await page.isVisible("#recorder"), false);
  assert.equal(await page.isVisible("#tab-servos"), false);
  assert.equal(await page.isVisible("#solid"), false);
  assert.equal(await page.locator(".limb header button:visible").count(), 0);
  assert.equal(await page.isVisible("#tab-control"), true);
  assert.equal(await page.isVisible("#stop"), true);
  assert.deepEqual(page.problems, []);
});
