import assert from "node:assert/strict";
import { test } from "node:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, PHONE, Playback, System, until } from "./rig.mjs";

const recording = await new Playback().start();
const robot = await new System().start();

async function openRecording(options) {
  const page = await openPage(recording.url, options);
  await page.waitForSelector("#playback:not([hidden])");
  await until(page, () => sinew.cockpit.joints.length > 0 && sinew.cockpit.urdf !== "");
  return page;
}

/** Seconds since the start of the recording. */
const now = (page) =>
  page.evaluate(() => {
    const { timeNs, recording: range } = sinew.cockpit.client;
    return Number(timeNs - range.startNs) * 1e-9;
  });

const pause = async (page) => {
  if ((await page.getAttribute("#playback-play", "aria-label")) === "Pause") {
    await page.click("#playback-play");
  }
  await page.waitForSelector("#playback-play[aria-label=Play]");
};

/** Go to a share of the recording, 0 to 1000. */
const goTo = (page, step) =>
  page.$eval(
    "#playback-time",
    (slider, value) => {
      slider.value = String(value);
      slider.dispatchEvent(new Event("input"));
    },
    step,
  );

const positions = (page) =>
  page.evaluate(() => sinew.cockpit.joints.map((joint) => sinew.cockpit.desired.positionOf(joint)));

test("a page of a recording says so and has nothing that commands a robot", async () => {
  const page = await openRecording();
  assert.match(await page.textContent("#playback"), /Recording sway\.mcap – not a running robot/);
  assert.equal(await page.isVisible("#stop"), false);
  assert.equal(await page.isVisible("#record"), false);
  assert.equal(await page.isVisible("#walk"), false);
  assert.equal(await page.evaluate(() => sinew.cockpit.roles.controllers.length), 0);
  assert.deepEqual(page.problems, []);
});

test("a page of a running robot has no playback", async () => {
  const page = await openPage(robot.url);
  await until(page, () => sinew.cockpit.roles.aggregator !== undefined);
  assert.equal(await page.isVisible("#playback"), false);
  assert.equal(await page.isVisible("#stop"), true);
});

test("the recording plays, pauses and goes to a time", async () => {
  const page = await openRecording();
  await pause(page);
  await goTo(page, 250);
  await until(page, () => {
    const { timeNs, recording: range } = sinew.cockpit.client;
    return Math.abs(Number(timeNs - range.startNs) * 1e-9 - 2) < 0.05;
  });
  assert.ok(Math.abs((await now(page)) - 2) < 0.05);
  await page.click("#playback-play");
  await page.waitForSelector("#playback-play[aria-label=Pause]");
  await until(page, () => {
    const { timeNs, recording: range } = sinew.cockpit.client;
    return Number(timeNs - range.startNs) * 1e-9 > 2.5;
  });
  await page.keyboard.press("Space");
  await page.waitForSelector("#playback-play[aria-label=Play]");
});

test("the same time shows the same pose, also after going back", async () => {
  const page = await openRecording();
  await pause(page);
  const show = async (step) => {
    await goTo(page, step);
    await page.waitForFunction((share) => {
      const { client, poseNs } = sinew.cockpit;
      const { startNs, endNs } = client.recording;
      return poseNs === startNs + ((endNs - startNs) * BigInt(share)) / 1000n;
    }, step);
    await page.waitForTimeout(500); // a pose of before may have been sent at the moment of the jump
    return positions(page);
  };
  const early = await show(300);
  const late = await show(700);
  const again = await show(300);
  assert.notDeepEqual(early, late);
  assert.deepEqual(again, early);
});

test("the speed is shared by all pages", async () => {
  const first = await openRecording();
  const second = await openRecording();
  await first.selectOption("#playback-speed", "0.5");
  await until(second, () => document.querySelector("#playback-speed").value === "0.5");
  await second.selectOption("#playback-speed", "1");
  await until(first, () => document.querySelector("#playback-speed").value === "1");
});

test("the bar fits on a phone", async () => {
  const page = await openRecording(PHONE);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(width, 390);
  assert.equal(await page.isVisible("#playback-time"), true);
  const [slider, speed, main] = await page.evaluate(() =>
    ["#playback-time", "#playback-speed", "main"].map((name) => {
      const { top, bottom } = document.querySelector(name).getBoundingClientRect();
      return { middle: (top + bottom) / 2, bottom };
    }),
  );
  assert.ok(Math.abs(slider.middle - speed.middle) < 10, "in one row");
  assert.ok(main.bottom > 843, "no room is kept for the stop button");
});

test("the list of a player leads to the other recordings of its folder", async () => {
  const folder = recording.folder;
  copyFileSync(recording.file, join(folder, "second.mcap"));
  writeFileSync(join(folder, "broken.mcap"), "not a recording");
  const page = await openRecording();
  const isShown = (name) =>
    until(
      page,
      (wanted) => {
        const client = window.sinew?.cockpit.client;
        return client?.state === "open" && client.recording?.name === wanted;
      },
      name,
    );
  const refusal = (name) =>
    page.evaluate(
      (wanted) =>
        sinew.cockpit.client.call("/recordings/play", { name: wanted }).then(
          () => "",
          (error) => error.message,
        ),
      name,
    );
  assert.match(await refusal("../second.mcap"), /is not the name of a recording/);
  assert.match(await refusal(".second.mcap"), /is not the name of a recording/);
  assert.match(await refusal("absent.mcap"), /absent\.mcap: cannot read/);
  assert.equal(await page.isVisible("#tab-setup"), false);
  await page.click("#tab-recordings");
  await page.click("[aria-label='Play second.mcap']");
  await isShown("second.mcap");
  await page.waitForSelector("#playback:not([hidden])");
  await page.click("#tab-recordings");
  await page.click("[aria-label='Play broken.mcap']"); // the one before comes back
  await until(page, () => sinew.cockpit.client.state !== "open");
  await isShown("second.mcap");
  await page.click("[aria-label='Play sway.mcap']");
  await isShown("sway.mcap");
});

test("recordings are listed with what is known about them", async () => {
  const page = await openPage(robot.url);
  await page.click("#record");
  await page.waitForSelector("#record[aria-pressed=true]");
  await until(page, () => /^[1-9]\d* kB|MB/.test(document.querySelector("#record").textContent));
  await page.click("#record");
  await page.waitForSelector("#record[aria-pressed=false]");
  await page.click("text=Recordings");
  await page.waitForSelector(".recordings li");
  const text = await page.textContent(".recordings li");
  assert.match(text, /rec0001\.mcap/);
  await page.getByText(/^quadruped · 0:\d\d\.\d min · /).waitFor();
  assert.match(text, /kB|MB/);
  assert.match(text, /sinew view recordings\/rec0001\.mcap/);
});

test("damaged recordings say so", async () => {
  const folder = join(robot.folder, "recordings");
  const whole = readFileSync(recording.file);
  copyFileSync(recording.file, join(folder, "whole.mcap"));
  writeFileSync(join(folder, "cut.mcap"), whole.subarray(0, whole.length / 2));
  const bad = Buffer.from(whole);
  bad[bad.length - 60] ^= 1; // in the summary
  writeFileSync(join(folder, "bad.mcap"), bad);
  writeFileSync(join(folder, "other.mcap"), "something else");
  const page = await openPage(robot.url);
  await page.click("text=Recordings");
  const row = (name) =>
    page
      .locator(".recordings li")
      .filter({ hasText: `${name}.mcap` })
      .first();
  const shows = (name, pattern) => row(name).getByText(pattern).waitFor();
  await shows("whole", /^quadruped · 0:08\.0 min · .* MB · /);
  await shows("cut", "Damaged: its end is missing");
  await shows("cut", /^quadruped · length unknown · /);
  await shows("bad", /^Damaged: byte \d+: /);
  await shows("other", "Damaged: not an MCAP file: wrong first bytes");
  assert.equal(await row("whole").locator(".problem").isVisible(), false);
});
