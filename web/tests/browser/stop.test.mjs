import assert from "node:assert/strict";
import { test } from "node:test";
import { desired, enter, openCockpit, owner, reaches, System, take, until } from "./rig.mjs";

const system = await new System().start();

const stopped = (page) => page.waitForSelector("#stopped:not([hidden])");

async function resume(page) {
  await page.click("#resume");
  await page.waitForSelector("#stopped", { state: "hidden" });
  await until(page, () => sinew.cockpit.stop?.stopped === false);
}

test("the button stops; the banner shows who, why and how to resume", async () => {
  const page = await openCockpit(system.url);
  await take(page, "leg1");
  await enter(page, "leg1_joint3", 0.5);
  await page.click("#stop");
  await stopped(page);
  const text = await page.textContent("#stopped");
  assert.match(text, /Stopped by cockpit \(\w+\): the button was pressed/);
  assert.match(text, /resume/i);
  assert.equal(await page.getAttribute("#stopped [role=alert]", "aria-live"), "assertive");
  await until(page, () => sinew.cockpit.stop.at_rest);
  const held = await desired(page, "leg1_joint3");
  await enter(page, "leg1_joint3", -0.2).catch(() => undefined); // the slider may be off by now
  await page.waitForTimeout(300);
  assert.ok(Math.abs((await desired(page, "leg1_joint3")) - held) < 1e-6, "nothing moves");
  await resume(page);
  if ((await owner(page, "leg1")) !== "follow") {
    await take(page, "leg1");
  }
  await enter(page, "leg1_joint3", 0.1);
  await reaches(page, "leg1_joint3", 0.1, 1e-3);
});

test("the space bar stops, whatever has the focus", async () => {
  const page = await openCockpit(system.url);
  await take(page, "leg2");
  for (const place of ["input[data-joint=leg2_joint2]", "#tab-control", "#theme", "#canvas"]) {
    await page.focus(place);
    await page.keyboard.press("Space");
    await stopped(page);
    // What the server recorded: a busy machine may confirm the stop late, and the banner then says so.
    await until(page, () => sinew.cockpit.stop?.stopped === true);
    assert.match(await page.evaluate(() => sinew.cockpit.stop.why), /space bar/, place);
    await resume(page);
  }
  // The keys did not press the buttons as well.
  assert.equal(await page.getAttribute("#tab-joints", "aria-selected"), "true");
  // A second press while stopped does not resume.
  await page.keyboard.press("Space");
  await stopped(page);
  await page.focus("#resume");
  await page.keyboard.press("Space");
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => sinew.cockpit.stop.stopped), true);
  await resume(page);
});

test("a space in a text field does not stop", async () => {
  const page = await openCockpit(system.url);
  await take(page, "leg2");
  const count = () => page.evaluate(() => Number(sinew.cockpit.stop.count));
  await until(page, () => sinew.cockpit.stop !== undefined);
  const before = await count();
  const field = page.getByLabel("leg2_joint2, value");
  await field.fill("0.1");
  await field.press("Space");
  assert.equal(await field.inputValue(), "0.1 ");
  assert.equal(await count(), before);
});

test("a stop without a connection is reported, and sent as soon as there is one", async () => {
  const page = await openCockpit(system.url);
  await system.stop();
  await until(page, () => sinew.cockpit.client.state !== "open");
  await page.keyboard.press("Space");
  await stopped(page);
  assert.match(await page.textContent("#stopped"), /Stop not sent/);
  await system.start();
  await until(page, () => sinew.cockpit.stop?.stopped === true);
  assert.match(await page.evaluate(() => sinew.cockpit.stop.why), /no connection/);
  // A plant that has just started on a busy machine may confirm too late. The page reports that; the next stop is confirmed.
  while (/Stop not confirmed/.test(await page.textContent("#stopped"))) {
    await page.click("#stop");
    await page.waitForTimeout(500);
  }
  const why = await page.evaluate(() => sinew.cockpit.stop.why);
  assert.ok((await page.textContent("#stopped")).includes(why));
  await resume(page);
});

test("an unconfirmed stop is reported with what did not obey", async () => {
  const page = await openCockpit(system.url);
  await page.evaluate(() => {
    const { client } = sinew.cockpit;
    const call = client.call.bind(client);
    client.call = (name, ...rest) =>
      name.endsWith("emergencyStop")
        ? Promise.reject(new Error("plant did not obey within 100 ms"))
        : call(name, ...rest);
  });
  await page.click("#stop");
  await stopped(page);
  assert.match(
    await page.textContent("#stopped"),
    /Stop not confirmed plant did not obey within 100 ms.*power switch/,
  );
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.waitForSelector("#stopped", { state: "hidden" });
});
