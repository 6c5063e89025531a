#!/usr/bin/env node
// Makes the pictures of the cockpit for the README and docs/cockpit.md. Starts a system and captures the page in
// light colours, and a short animation of a moving robot.
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
const FRAMES = 30;
const FRAMES_PER_SECOND = 10;
const FILM = { viewport: { width: 1120, height: 700 } };
const ANIMATION_WIDTH = 840;

function startSystem(work) {
  const file = join(work, "system.yaml");
  writeFileSync(
    file,
    `include: [standard.yaml]
robot: ${join(root, "robots/quadruped.yaml")}
activities: {control: {period: 0.01}} # slow, since the browser draws on the processor
components:
  cockpit: {type: cockpit, properties: {port: 0}}
`,
  );
  const child = spawn(program, ["run", file, "--socket", join(work, "s")], { cwd: work });
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

/** Opens a page and waits until the robot is drawn and measured. */
async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: SIZE, ...options });
  context.setDefaultTimeout(180000);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector("#stage[data-robot]");
  await page.waitForSelector(".limb[data-limb=leg1]");
  await page.waitForFunction(() => sinew.cockpit.measured.isKnown);
  return page;
}

/** A pose of all limbs; phase from 0 to 1. */
function pose(phase) {
  const turn = 2 * Math.PI * phase;
  const wave = 0.5 - 0.5 * Math.cos(turn);
  const joints = {};
  ["leg1", "leg2", "leg3", "leg4"].forEach((leg, i) => {
    const bend = 0.16 * wave;
    const isFront = i < 2;
    joints[`${leg}_joint3`] = isFront ? -bend : bend;
    joints[`${leg}_joint4`] = isFront ? 2 * bend : -2 * bend;
    joints[`${leg}_joint5`] = isFront ? -bend : bend;
  });
  joints.leg1_joint3 -= 0.5 * wave;
  joints.leg1_joint4 += 0.75 * wave;
  joints.leg1_joint5 -= 0.3 * wave;
  joints.head_joint1 = 0.35 * Math.sin(turn);
  joints.head_joint2 = 0.2 * wave;
  return joints;
}

const send = (page, joints) =>
  page.evaluate((wanted) => {
    const names = Object.keys(wanted).filter((name) => sinew.cockpit.joints.includes(name));
    const position = names.map((name) => wanted[name]);
    sinew.cockpit.client.publish("/follow/in_joints_ref", { name: names, position });
  }, joints);

async function settle(page) {
  await page.waitForFunction(() => {
    const { velocity } = sinew.cockpit.desired;
    return velocity.every((value) => Math.abs(value) < 1e-4);
  });
  await page.waitForTimeout(1500); // until the picture at full resolution is drawn
}

async function takeAll(page) {
  await page.getByRole("button", { name: "Take all" }).click();
  await page.waitForSelector(".limb[data-limb=head] input[type=range]:enabled");
}

async function picture(browser, url) {
  const page = await open(browser, url);
  await takeAll(page);
  await page.getByLabel("Joint to plot").selectOption("leg1_joint3");
  for (const phase of [0.2, 0.35, 0.5]) {
    await send(page, pose(phase));
    await page.waitForTimeout(1200);
  }
  await settle(page);
  await page.screenshot({ path: join(folder, "cockpit.png") });
  await page.context().close();
}

async function animation(browser, url, work) {
  const page = await open(browser, url, FILM);
  await takeAll(page);
  await page.getByLabel("Joint to plot").selectOption("leg1_joint3");
  // Each frame shows a pose that was reached, so that a slow machine makes the same film as a fast one.
  for (let i = 0; i < FRAMES; i++) {
    await send(page, pose(i / FRAMES));
    await page.waitForTimeout(350);
    await page.evaluate(() => sinew.view.stage.renderNow());
    await page.screenshot({ path: join(work, `frame${String(i).padStart(3, "0")}.png`) });
  }
  await page.context().close();
  const out = join(folder, "cockpit.webp");
  const made = spawnSync(
    "ffmpeg",
    [
      "-y",
      "-loglevel",
      "error",
      "-framerate",
      String(FRAMES_PER_SECOND),
      "-i",
      join(work, "frame%03d.png"),
    ].concat([
      "-vf",
      `scale=${ANIMATION_WIDTH}:-1:flags=lanczos`,
      ..."-c:v libwebp_anim -quality 62 -compression_level 6 -loop 0".split(" "),
      out,
    ]),
    { stdio: "inherit" },
  );
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
  const address = await url;
  await picture(browser, address);
  await animation(browser, address, work);
} finally {
  await browser.close();
  child.kill("SIGTERM");
  rmSync(work, { recursive: true, force: true });
}
