// Curves of any topics: chosen by topic and field, remembered, with units; of a recording, too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openCockpit, openPage, PHONE, Playback, System, until } from "./rig.mjs";

const system = await new System().start();
const recording = await new Playback().start();

async function choose(page, topic, field) {
  await page.getByLabel("Topic").selectOption(topic);
  await page.waitForFunction(
    (value) =>
      [...document.querySelector("select[aria-label='Add a curve']").options].some(
        (option) => option.value === value,
      ),
    field,
  );
  await page.getByLabel("Add a curve").selectOption(field);
}

const legend = (page) =>
  page.$$eval(".curves .chart", (charts) =>
    charts.map((chart) => [
      chart.querySelector("h4").textContent,
      ...[...chart.querySelectorAll(".key .name")].map((name) => name.textContent),
    ]),
  );

/** Each curve has values, and the newest one is in the legend. */
const haveValues = (page) =>
  until(page, () => {
    const { store, charts } = sinew.curves;
    const values = [...document.querySelectorAll(".curves .key output")];
    return (
      store.list.length > 0 &&
      charts.every(({ plot }) => plot.data[0].length > 20) &&
      values.length === store.list.length &&
      values.every((value) => /\d/.test(value.textContent))
    );
  });

test("curves of several joints and topics, one chart for each unit, are remembered", async () => {
  const page = await openCockpit(system.url);
  await page.getByRole("button", { name: "Any topic" }).click();
  await page.getByText("Choose a topic, then its fields").waitFor();
  await choose(page, "/aggregator/joints_sorted", "position[leg1_joint4]");
  await choose(page, "/aggregator/joints_sorted", "position[leg2_joint4]");
  await choose(page, "/sinew/timing", "activities[control].cycles");
  const expected = [
    [
      "rad",
      "position[leg1_joint4] · aggregator/joints_sorted",
      "position[leg2_joint4] · aggregator/joints_sorted",
    ],
    ["no unit", "activities[control].cycles · sinew/timing"],
  ];
  assert.deepEqual(await legend(page), expected);
  await until(page, () => sinew.curves.charts[0].plot.data[0].length > 20);
  // What is drawn is what the robot sends.
  const drawn = await page.evaluate(() => {
    const { track } = sinew.curves.store.list[0];
    return [track.latest, sinew.cockpit.desired.positionOf("leg1_joint4")];
  });
  assert.ok(Math.abs(drawn[0] - drawn[1]) < 1e-3, String(drawn));
  await page.reload();
  await page.waitForSelector(".curves .chart");
  await until(page, () => document.querySelectorAll(".curves .chart").length === 2);
  await until(page, () => document.querySelector(".curves h4").textContent === "rad");
  assert.deepEqual(await legend(page), expected);
  await page.click("#unit");
  await until(page, () => document.querySelector(".curves h4").textContent === "deg");
  await page.getByLabel("Remove activities[control].cycles · sinew/timing").click();
  assert.equal((await legend(page)).length, 1);
  await page.getByRole("button", { name: "Remove all" }).click();
  await page.getByText("Choose a topic, then its fields").waitFor();
  assert.deepEqual(page.problems, []);
});

test("all elements of a field are added at once", async () => {
  const page = await openCockpit(system.url);
  await page.getByRole("button", { name: "Any topic" }).click();
  await choose(page, "/aggregator/joints_sorted", "all position");
  const count = await page.evaluate(() => sinew.cockpit.joints.length);
  await until(page, (n) => document.querySelectorAll(".curves .key").length === n, count);
});

test("curves of a recording begin again after a jump back", async () => {
  const page = await openPage(recording.url);
  await until(page, () => sinew.cockpit.joints.length > 0 && sinew.cockpit.urdf !== "");
  await page.getByRole("button", { name: "Any topic" }).click();
  const joint = await page.evaluate(() => sinew.cockpit.joints[0]);
  await choose(page, "/aggregator/joints_sorted", `position[${joint}]`);
  // Slowly, so that a busy machine does not reach the end first.
  const restart = () => {
    const { startNs } = sinew.cockpit.client.recording;
    sinew.cockpit.client.control({ plays: true, speed: 0.25, seekNs: startNs });
  };
  await page.evaluate(restart);
  await haveValues(page);
  await page.evaluate(() => {
    const { track } = sinew.curves.store.list[0];
    globalThis.before = track.latestTime;
  });
  await page.evaluate(restart);
  await until(page, () => sinew.curves.store.list[0].track.latestTime < globalThis.before);
  await haveValues(page);
});

test("the choice fits on a phone", async () => {
  const page = await openPage(system.url, PHONE);
  await page.waitForSelector("#stage[data-robot]");
  await page.getByRole("tab", { name: "Plots" }).click();
  await page.getByRole("button", { name: "Any topic" }).click();
  await choose(page, "/aggregator/joints_sorted", "position[leg1_joint4]");
  await page.waitForSelector(".curves .chart");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});
