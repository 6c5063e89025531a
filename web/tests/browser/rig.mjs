// What browser tests share: a running system, a browser, and patience. The program comes from the
// environment (SINEW), the browser is the system's.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, afterEach } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const SKIPPED = 77; // what ctest takes as skipped
/** Long enough for a machine with other things to do; nothing waits so long if all is well. */
export const PATIENCE_MS = 60000;

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const robots = join(root, "robots");

function findBrowser() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const places = [process.env.CHROMIUM, ...folders.map((folder) => join(folder, "chromium"))];
  return places.find((place) => place && existsSync(place));
}

function skip(reason) {
  console.log(`browser tests: ${reason}`);
  process.exit(SKIPPED);
}

/** A phone held upright. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const program = process.env.SINEW;
if (!program || !existsSync(program)) {
  skip("SINEW must name the program");
}
const executablePath = findBrowser();
if (!executablePath) {
  skip("there is no chromium");
}

/** A system that runs, until the tests are over. */
export class System {
  folder = mkdtempSync(join(tmpdir(), "sinew-web-"));
  port = 0;
  output = "";

  /** @param more     what is laid over the standard deployment, as YAML below `components:`
   *  @param cockpit  further properties of the server, as in YAML */
  constructor(more = "", robot = join(robots, "quadruped.yaml"), cockpit = {}) {
    this.more = more;
    this.robot = robot;
    this.cockpit = cockpit;
    after(async () => {
      await this.stop();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  writeDeployment() {
    const file = join(this.folder, "system.yaml");
    const recordings = join(this.folder, "recordings");
    const server = JSON.stringify({ port: this.port, recordings, ...this.cockpit });
    writeFileSync(
      file,
      `include: [standard.yaml]
robot: ${this.robot}
components:
  cockpit: {type: cockpit, properties: ${server}}
  recorder: {properties: {folder: ${recordings}}}
${this.more}`,
    );
    return file;
  }

  /** The second time at the same port. */
  async start() {
    const socket = join(this.folder, "control.sock");
    this.child = spawn(program, ["run", this.writeDeployment(), "--socket", socket], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.ended = new Promise((done) => this.child.once("exit", done));
    this.url = await new Promise((done, fail) => {
      const hear = (chunk) => {
        this.output += chunk;
        const found = /cockpit: (http:\/\/\S+)/.exec(this.output);
        if (found) {
          done(found[1]);
        }
      };
      this.output = "";
      this.child.stdout.on("data", hear);
      this.child.stderr.on("data", hear);
      this.child.once("exit", (code) => fail(new Error(`it ended with ${code}: ${this.output}`)));
    });
    this.port = Number(new URL(this.url).port);
    return this;
  }

  async stop() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill("SIGTERM");
      const timer = setTimeout(() => this.child.kill("SIGKILL"), 10000);
      await this.ended;
      clearTimeout(timer);
    }
  }
}

// Here and not in a test: what a test sets up ends with it.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
after(() => browser.close());

// Pages that nobody looks at any more would slow the others down.
let contexts = [];
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
});

/** A user with a browser of their own. */
export async function openPage(url, options = {}) {
  // Few points: without a graphics card the processor draws every one of them.
  const fast = { viewport: { width: 1200, height: 760 }, deviceScaleFactor: 0.5 };
  const context = await browser.newContext({ ...fast, ...options });
  contexts.push(context);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") {
      page.problems.push(message.text());
    }
  });
  await page.goto(url);
  return page;
}

/** The robot is drawn, its limbs are known, and each is where it was at the start: with `hold`. */
export async function openCockpit(url, options) {
  const page = await openPage(url, options);
  await page.waitForSelector("#stage[data-robot]");
  await page.waitForSelector(".limb[data-limb=leg1]", { state: "attached" });
  await page.evaluate(async () => {
    const { cockpit } = sinew;
    const { controllers } = cockpit.roles;
    for (const controller of controllers.filter(({ name }) => name !== "hold")) {
      await cockpit.do(controller, "setOperational", { operational: false, resources: [] });
    }
  });
  await until(page, () => {
    const owners = [...sinew.cockpit.owners.values()];
    return owners.length > 0 && owners.every((owner) => owner === "hold");
  });
  return page;
}

/** Until something is so in the page; a function of the page with one argument. */
export function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, { timeout: PATIENCE_MS, polling: 50 });
}

export const desired = (page, joint) =>
  page.evaluate((name) => sinew.cockpit.desired.positionOf(name), joint);

export const owner = (page, limb) => page.evaluate((name) => sinew.cockpit.ownerOf(name), limb);

/** Take a limb for the sliders, and wait until they may be moved. */
export async function take(page, limb) {
  await page.click(`.limb[data-limb=${limb}] header button`);
  await page.waitForSelector(`.limb[data-limb=${limb}] input[type=range]:enabled`);
}

/** Type a value, as users do. */
export async function enter(page, joint, value) {
  const field = page.getByLabel(`${joint}, value`);
  await field.fill(String(value));
  await field.press("Enter");
}

export const reaches = (page, joint, value, tolerance = 0.01) =>
  until(
    page,
    ([name, goal, close]) => Math.abs(sinew.cockpit.desired.positionOf(name) - goal) < close,
    [joint, value, tolerance],
  );
