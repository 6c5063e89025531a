// Shared by browser tests: a running system and a browser. The environment variable SINEW names the program;
// the browser is the system's Chromium.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, afterEach } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const SKIPPED = 77; // ctest: skipped
/** Timeout for a busy machine; a test that passes never waits this long. */
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

export const program = process.env.SINEW;
if (!program || !existsSync(program)) {
  skip("SINEW must name the program");
}
const executablePath = findBrowser();
if (!executablePath) {
  skip("chromium is not installed");
}

/** A system that runs until the tests end. */
export class System {
  folder = mkdtempSync(join(tmpdir(), "sinew-web-"));
  port = 0;
  output = "";

  /** @param more     additions to the deployment, YAML below `components:`
   *  @param cockpit  additional properties of the server
   *  @param base     the deployment that it includes
   *  @param options  of the program */
  constructor(
    more = "",
    robot = join(robots, "quadruped.yaml"),
    cockpit = {},
    { base = "standard.yaml", options = [] } = {},
  ) {
    this.more = more;
    this.robot = robot;
    this.cockpit = cockpit;
    this.base = base;
    this.options = options;
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
      `include: [${this.base}]
robot: ${this.robot}
components:
  cockpit: {type: cockpit, properties: ${server}}
  recorder: {properties: {folder: ${recordings}}}
${this.more}`,
    );
    return file;
  }

  command() {
    const socket = join(this.folder, "control.sock");
    return ["run", this.writeDeployment(), "--socket", socket, ...this.options];
  }

  /** A restart uses the same port. */
  async start() {
    this.child = spawn(program, this.command(), {
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
      this.child.once("exit", (code) =>
        fail(new Error(`the program exited with ${code}: ${this.output}`)),
      );
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

/** A simulated run of a robot that sways, recorded and then played by `sinew view`. */
export class Playback extends System {
  constructor(duration = 8, options = []) {
    super();
    this.file = join(this.folder, "sway.mcap");
    const run = ["--clock", "sim", "--duration", String(duration), "--headless", "--quiet"];
    execFileSync(program, ["demo", ...run, "--record", this.file, ...options], { stdio: "ignore" });
  }

  command() {
    return ["view", this.file, "--port", String(this.port)];
  }
}

// Launched here, because what a test sets up ends with that test.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
after(() => browser.close());

// Close pages after each test: they would slow down the others.
let contexts = [];
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
});

/** Opens a page in a separate browser context. */
export async function openPage(url, options = {}) {
  // Low resolution: without a graphics card the processor draws every pixel.
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

/** Opens a page and waits until the robot is drawn and `hold` owns all limbs. */
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

/** A robot on the ground. Its time passes slowly, and its cycle is long, so that it loses few to the browser.
 *  @param period  of its control, s
 *  @param clock   its time over real time */
export const walker = (period = 0.005, clock = 0.25) =>
  new System(
    `activities: {control: {period: ${period}}}\n`,
    undefined,
    {},
    { base: "walking.yaml", options: ["--clock", `x${clock}`] },
  );

/** Opens a page of a robot on the ground. Its head looks straight on, unless the test wants otherwise. */
export async function openWalker(url, { watches = false, ...options } = {}) {
  const page = await openPage(url, {
    storageState: {
      cookies: [],
      origins: [
        {
          origin: new URL(url).origin,
          localStorage: [{ name: "sinew.view", value: JSON.stringify({ watches }) }],
        },
      ],
    },
    ...options,
  });
  await page.waitForSelector("#stage[data-robot]");
  await until(page, () => sinew.cockpit.baseFrom === "truth" && sinew.cockpit.feet.length === 4);
  await until(page, () => sinew.cockpit.tips.size > 0 && sinew.cockpit.balance !== undefined);
  return page;
}

/** Waits for a condition, a function that runs in the page with one argument. */
export function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, { timeout: PATIENCE_MS, polling: 50 });
}

export const desired = (page, joint) =>
  page.evaluate((name) => sinew.cockpit.desired.positionOf(name), joint);

export const owner = (page, limb) => page.evaluate((name) => sinew.cockpit.ownerOf(name), limb);

/** Takes a limb for the sliders and waits until they are enabled. */
export async function take(page, limb) {
  await page.click(`.limb[data-limb=${limb}] header button`);
  await page.waitForSelector(`.limb[data-limb=${limb}] input[type=range]:enabled`);
}

/** Types a value into the field of a joint. */
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
