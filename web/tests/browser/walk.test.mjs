import assert from "node:assert/strict";
import { test } from "node:test";
import { openWalker, PHONE, until, walker } from "./rig.mjs";

const PERIOD_S = 0.002;
const system = await walker(PERIOD_S, 0.1).start();

/** Collects where the base is, with the time of the system, from now on. */
const watch = (page) =>
  page.evaluate(() => {
    const { cockpit } = sinew;
    sinew.view.stage.draw = () => undefined; // without a graphics card it delays the commands
    globalThis.walked = [];
    globalThis.cycles = [];
    cockpit.onTiming.on(({ now_ns, activities }) =>
      cycles.push({ s: 1e-9 * now_ns, count: activities[0].cycles }),
    );
    cockpit.onBase.on(() => {
      const { position, orientation: q } = cockpit.base;
      const last = walked.at(-1);
      const s = 1e-9 * Number(cockpit.desired.timeNs);
      if (last === undefined || s > last.s) {
        walked.push({ s, ...position, up: 1 - 2 * (q.x * q.x + q.y * q.y) });
      }
    });
  });

const away = (page, least) =>
  until(
    page,
    (metres) => {
      const from = walked[0];
      const to = walked.at(-1);
      return from && Math.hypot(to.x - from.x, to.y - from.y) > metres;
    },
    least,
  );

/** The robot stands: it moves less than a millimetre in half a second. */
const stands = (page) =>
  until(page, () => {
    const now = walked.at(-1);
    const then = walked.findLast(({ s }) => s < now.s - 0.5);
    return then && Math.hypot(now.x - then.x, now.y - then.y) < 1e-3;
  });

/** Time that passed for the robot between two times of its clock: a busy machine loses cycles. */
function executed(cycles, from, to, period) {
  const at = (s) => {
    const i = cycles.findIndex((entry, k) => k > 0 && (entry.s >= s || k === cycles.length - 1));
    const [a, b] = [cycles[i - 1], cycles[i]];
    return a.count + ((b.count - a.count) * (s - a.s)) / (b.s - a.s);
  };
  return period * (at(to) - at(from));
}

const commanded = (page) =>
  page.evaluate(() => sinew.walking.twist({ forward: 1, left: 0, turn: 0 }).linear.x);

// First, while the robot still faces the camera: the head turns only so far.
test("the head looks at the pointer, and the switch gives it back", async () => {
  const page = await openWalker(system.url, { watches: true });
  await until(page, () => sinew.cockpit.ownerOf("head") === "look");
  const box = await page.locator("#canvas").boundingBox();
  const heading = () =>
    page.evaluate(() => {
      const { x, y, z, w } = sinew.cockpit.tips.get("head").orientation;
      return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    });
  /** The heading when the head has come to rest. */
  const settled = async () => {
    for (let before = await heading(); ;) {
      await page.waitForTimeout(1000);
      const now = await heading();
      if (Math.abs(now - before) < 2e-3) return now;
      before = now;
    }
  };
  await page.mouse.move(box.x + 0.1 * box.width, box.y + 0.3 * box.height);
  const left = await settled();
  await page.mouse.move(box.x + 0.95 * box.width, box.y + 0.3 * box.height);
  const right = await settled();
  assert.ok(Math.abs(right - left) > 0.1, `from ${left} to ${right} rad`);
  await page.getByRole("button", { name: "Look" }).click();
  await until(page, () => sinew.cockpit.ownerOf("head") !== "look");
});

test("W walks forward as fast as commanded, and the robot stands when it is released", async () => {
  const page = await openWalker(system.url);
  await watch(page);
  const heading = await page.evaluate(() => {
    const { x, y, z, w } = sinew.cockpit.base.orientation;
    return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  });
  const speed = await commanded(page);
  await page.keyboard.down("w");
  await away(page, 0.3);
  await away(page, 0.6);
  await page.keyboard.up("w");
  await stands(page);
  const way = await page.evaluate(() => walked);
  const along = ({ x, y }) =>
    (x - way[0].x) * Math.cos(heading) + (y - way[0].y) * Math.sin(heading);
  // Between 0.2 m and 0.5 m it neither starts nor stops.
  const first = way.find((at) => along(at) > 0.2);
  const last = way.find((at) => along(at) > 0.5);
  const cycles = await page.evaluate(() => globalThis.cycles);
  const least = speed * executed(cycles, first.s, last.s, PERIOD_S);
  const most = speed * (last.s - first.s);
  const gone = along(last) - along(first);
  assert.ok(
    gone > 0.85 * least && gone < 1.15 * most,
    `${gone} m instead of ${least} to ${most} m`,
  );
  assert.ok(Math.min(...way.map(({ up }) => up)) > Math.cos(0.35), "it tilted by more than 20°");
  const sideways = Math.hypot(way.at(-1).x - way[0].x, way.at(-1).y - way[0].y) ** 2;
  const drift = Math.sqrt(Math.max(0, sideways - along(way.at(-1)) ** 2));
  assert.ok(drift < 0.15 * along(way.at(-1)), `it went ${drift} m to the side`);
  assert.deepEqual(page.problems, []);
});

test("keys in a field are text, and a field that gets the focus ends the walk", async () => {
  const page = await openWalker(system.url);
  const moves = () => page.evaluate(() => sinew.walking.command.forward);
  await page.click("#tab-movements");
  await page.focus("#movement-record input[name=movement]");
  await page.keyboard.down("w");
  assert.equal(await moves(), 0);
  await page.keyboard.up("w");
  assert.equal(await page.inputValue("#movement-record input[name=movement]"), "w");
  await page.focus("#canvas");
  await page.keyboard.down("ArrowUp");
  await until(page, () => sinew.walking.command.forward === 1);
  await page.focus("#movement-record input[name=movement]");
  await until(page, () => sinew.walking.command.forward === 0);
  await page.keyboard.up("ArrowUp");
});

test("leaving the window ends the walk", async () => {
  const page = await openWalker(system.url);
  await page.keyboard.down("w");
  await until(page, () => sinew.walking.command.forward === 1);
  await page.evaluate(() => dispatchEvent(new Event("blur")));
  assert.equal(await page.evaluate(() => sinew.walking.command.forward), 0);
});

test("on a phone the stick turns the robot, and lets go with the finger", async () => {
  const page = await openWalker(system.url, PHONE);
  await watch(page);
  const box = await page.locator("#walk .stick").boundingBox();
  assert.ok(box.x + box.width <= 390 && box.width >= 72, JSON.stringify(box));
  const turned = () =>
    page.evaluate(() => {
      const { x, y, z, w } = sinew.cockpit.base.orientation;
      return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    });
  const before = await turned();
  const touch = await page.context().newCDPSession(page);
  const at = (x, y) => [{ x: box.x + x * box.width, y: box.y + y * box.height }];
  const send = (type, touchPoints) => touch.send("Input.dispatchTouchEvent", { type, touchPoints });
  await send("touchStart", at(0.5, 0.5));
  await send("touchMove", at(0, 0.5));
  await until(page, () => sinew.walking.command.turn === 1);
  await until(
    page,
    (from) => {
      const { x, y, z, w } = sinew.cockpit.base.orientation;
      const now = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
      return Math.sin(now - from) > 0.3;
    },
    before,
  );
  await send("touchEnd", []);
  await until(page, () => sinew.walking.command.turn === 0);
  await stands(page);
  assert.notEqual(await turned(), before);
});

test("a gamepad walks the robot", async () => {
  const page = await openWalker(system.url);
  await watch(page);
  await page.evaluate(() => {
    globalThis.axes = [0, -1, 0, 0];
    navigator.getGamepads = () => [null, { axes }];
    document.hasFocus = () => true; // of several pages only one has it
    dispatchEvent(new Event("gamepadconnected"));
  });
  await away(page, 0.1);
  await page.evaluate(() => (globalThis.axes = [0, 0, 0, 0]));
  await until(page, () => sinew.walking.command.forward === 0);
  await stands(page);
});

test("gait and speed are shown, and the next footholds are marked", async () => {
  const page = await openWalker(system.url);
  const gaits = await page.locator("#gait option").allTextContents();
  assert.ok(gaits.includes("trot") && gaits.includes("walk"), gaits.join());
  assert.equal(await page.inputValue("#gait"), "trot");
  await page.keyboard.down("w");
  await until(page, () => sinew.cockpit.footholds?.pose.length > 0);
  await until(page, () => {
    sinew.view.stage.renderNow();
    return sinew.view.footholds.group.children.length > 0;
  });
  await until(page, () => Number.parseFloat(document.querySelector("#walk-speed").textContent) > 0);
  await page.keyboard.up("w");
});

test("an emergency stop ends the walk, and a key afterwards does nothing until it is resumed", async () => {
  const page = await openWalker(system.url);
  await page.keyboard.down("w");
  await until(page, () => sinew.walking.command.forward === 1);
  await page.keyboard.press("Space");
  await until(page, () => sinew.walking.command.forward === 0);
  await page.keyboard.up("w");
  await page.keyboard.press("w");
  assert.equal(await page.evaluate(() => sinew.walking.command.forward), 0);
  await page.click("#resume");
  await until(page, () => sinew.cockpit.stop?.stopped === false);
});
