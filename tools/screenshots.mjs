#!/usr/bin/env node
// Makes the pictures of the cockpit for the README and docs/cockpit.md: the demo robot walks under the keys of the page, in
// light colours. What the page receives meanwhile is kept and drawn afterwards, frame by frame, so that a slow machine makes
// the same film as a fast one.
// usage: screenshots.mjs PROGRAM [FOLDER]     FOLDER: default docs/images; needs chromium, and ffmpeg for the animation
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const program = resolve(process.argv[2] ?? join(root, "build/release/sinew"));
const folder = resolve(process.argv[3] ?? join(root, "docs/images"));
const { chromium } = createRequire(join(root, "web/"))("playwright-core");

const SIZE = { width: 1440, height: 900 };
const FILM = { width: 1120, height: 700 };
const FRAMES_PER_SECOND = 12;
const ANIMATION_WIDTH = 840;
const SLOW = 0.25; // time of the robot over real time, since the browser needs the processor, too
/** Keys that are held, for so many seconds of the robot. */
const WALK = [
  [["w"], 2],
  [["w", "a"], 2],
  [[], 1],
];

function startSystem(work) {
  const file = join(work, "system.yaml");
  writeFileSync(
    file,
    `include: [${join(root, "deployments/demo.yaml")}]
activities: {control: {period: 0.005}} # slow, since the browser draws on the processor
components:
  cockpit: {type: cockpit, properties: {port: 0}}
`,
  );
  const options = ["--socket", join(work, "s"), "--clock", `x${SLOW}`];
  const child = spawn(program, ["run", file, ...options], { cwd: work });
  const url = new Promise((done, fail) => {
    let text = "";
    const hear = (chunk) => {
      text += chunk;
      const found = /cockpit: (http:\/\/\S+)/.exec(text);
      if (found) {
        done(found[1]);
      }
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => fail(new Error(text)));
  });
  return { child, url };
}

/** Opens a page and waits until the robot is drawn and stands. */
async function open(browser, url) {
  const context = await browser.newContext({ viewport: SIZE });
  context.setDefaultTimeout(180000);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const view = { showsBalance: false, showsTips: false, watches: true };
    localStorage.setItem("sinew.view", JSON.stringify(view));
  });
  await page.goto(url);
  await page.waitForSelector("#stage[data-robot]");
  await page.waitForSelector("#walk:visible");
  await page.waitForFunction(() => {
    const { cockpit } = sinew;
    return cockpit.measured.isKnown && cockpit.balance !== undefined && cockpit.tips.size > 0;
  });
  return page;
}

/** Keeps what arrives from now on, and draws nothing: drawing would delay it. */
const keep = (page) =>
  page.evaluate(() => {
    const { cockpit, view } = sinew;
    view.stage.draw = () => undefined;
    globalThis.kept = [];
    cockpit.onPose.on(() => {
      const { base, velocity, forces, footholds, balance, desired, measured } = cockpit;
      kept.push({
        s: 1e-9 * Number(desired.timeNs),
        parts: { base, velocity, forces, footholds, balance, tips: new Map(cockpit.tips) },
        desired: desired.position,
        measured: measured.position,
      });
    });
  });

/** Walks, and returns how many seconds it took. */
async function walk(page) {
  const now = () => page.evaluate(() => 1e-9 * Number(sinew.cockpit.desired.timeNs));
  const start = await now();
  let end = start;
  for (const [keys, seconds] of WALK) {
    end += seconds;
    for (const key of keys) {
      await page.keyboard.down(key);
    }
    await page.waitForFunction((s) => 1e-9 * Number(sinew.cockpit.desired.timeNs) > s, end);
    for (const key of keys) {
      await page.keyboard.up(key);
    }
  }
  if (await page.evaluate(() => sinew.cockpit.fall?.fallen)) {
    throw new Error("the robot fell");
  }
  return { start, seconds: end - start };
}

/** From now on the page shows only what is kept. */
const freeze = (page) =>
  page.evaluate(() => {
    sinew.cockpit.subscriptions.forEach((unsubscribe) => unsubscribe());
    kept.sort((a, b) => a.s - b.s);
  });

/** Draws the robot as it was at this time. */
const show = (page, s) =>
  page.evaluate((time) => {
    const { cockpit, view } = sinew;
    const { parts, desired, measured } = kept.findLast((entry) => entry.s <= time) ?? kept[0];
    Object.assign(cockpit, parts);
    cockpit.desired.position = desired;
    cockpit.measured.position = measured;
    cockpit.onPose.emit();
    cockpit.onBase.emit();
    view.stage.renderNow();
  }, s);

async function animation(page, { start, seconds }, work) {
  await page.setViewportSize(FILM);
  const count = Math.round(seconds * FRAMES_PER_SECOND);
  for (let i = 0; i < count; i++) {
    await show(page, start + i / FRAMES_PER_SECOND);
    await page.screenshot({ path: join(work, `frame${String(i).padStart(3, "0")}.png`) });
  }
  const out = join(folder, "cockpit.webp");
  const frames = ["-framerate", String(FRAMES_PER_SECOND), "-i", join(work, "frame%03d.png")];
  const scale = ["-vf", `scale=${ANIMATION_WIDTH}:-1:flags=lanczos`];
  const code = "-c:v libwebp_anim -quality 55 -compression_level 6 -loop 0".split(" ");
  const made = spawnSync("ffmpeg", ["-y", "-loglevel", "error", ...frames, ...scale, ...code, out], {
    stdio: "inherit",
  });
  if (made.status !== 0) {
    throw new Error("the animation needs ffmpeg: apt-get install ffmpeg");
  }
  console.log(`${out}: ${(statSync(out).size / 1e6).toFixed(2)} MB`);
}

const work = mkdtempSync(join(tmpdir(), "sinew-pictures-"));
const { child, url } = startSystem(work);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await open(browser, await url);
  await page.getByLabel("Joint to plot").selectOption("leg1_joint3");
  await page.waitForTimeout(3000 / SLOW); // the head turns to the camera
  await keep(page);
  const walked = await walk(page);
  await freeze(page);
  await show(page, walked.start + 0.5 * walked.seconds);
  await page.screenshot({ path: join(folder, "cockpit.png") });
  await animation(page, walked, work);
} finally {
  await browser.close();
  child.kill("SIGTERM");
  rmSync(work, { recursive: true, force: true });
}
