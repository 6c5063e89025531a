// Browsers on other machines can watch; to change anything they need the token.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { enter, openPage, reaches, System, take, until } from "./rig.mjs";

const token = "correct horse battery staple";
const folder = mkdtempSync(join(tmpdir(), "sinew-token-"));
writeFileSync(join(folder, "token"), `${token}\n`);
after(() => rmSync(folder, { recursive: true, force: true }));

// A client that uses the machine's network address is not a loopback client, even on the same machine.
const outside = Object.values(networkInterfaces())
  .flat()
  .find(({ family, internal }) => family === "IPv4" && !internal);
const options = { skip: outside === undefined && "this machine has no network" };

const system = await new System("", undefined, {
  address: "0.0.0.0",
  token_file: join(folder, "token"),
}).start();
const url = `http://${outside?.address}:${system.port}/`;

/** Opens a page and waits until the robot is drawn and the access is known. */
async function open(address) {
  const page = await openPage(address);
  await page.waitForSelector("#stage[data-robot]");
  await page.waitForSelector(".limb[data-limb=leg1]", { state: "attached" });
  return page;
}

test("a client without the token can watch and stop, and nothing else", options, async () => {
  const page = await open(url);
  await page.waitForSelector("form.token:not([hidden])");
  assert.equal(await page.evaluate(() => sinew.cockpit.mayChange), false);
  await until(page, () => sinew.cockpit.measured.isKnown);
  const refusal = await page.evaluate(() =>
    sinew.cockpit.client.call("/follow/setOperational", { operational: true }).then(
      () => "",
      (error) => error.message,
    ),
  );
  assert.match(refusal, /token/);
  await page.click("#stop");
  await page.waitForSelector("#stopped:not([hidden])");
  assert.match(await page.textContent("#stopped"), /Enter the token to resume/);
});

test("a client with the token resumes and moves the robot", options, async () => {
  const page = await open(url);
  await page.getByLabel("Token").fill("wrong");
  await page.getByLabel("Token").press("Enter");
  await page.waitForSelector("#toasts .toast");
  assert.equal(await page.evaluate(() => sinew.cockpit.mayChange), false);
  await page.getByLabel("Token").fill(token);
  await page.getByLabel("Token").press("Enter");
  await page.waitForSelector("form.token", { state: "hidden" });
  await page.click("#resume");
  await page.waitForSelector("#stopped", { state: "hidden" });
  await take(page, "leg1");
  await enter(page, "leg1_joint3", 0.3);
  await reaches(page, "leg1_joint3", 0.3, 1e-3);
});

test("a link can carry the token, and the address bar does not keep it", options, async () => {
  const page = await open(`${url}#token=${encodeURIComponent(token)}`);
  await until(page, () => sinew.cockpit.mayChange);
  assert.equal(await page.evaluate(() => location.hash), "");
  // The page sends the token again after a restart of the server.
  await system.stop();
  await page.waitForSelector("#connection[data-state=waiting]");
  await system.start();
  await page.waitForSelector("#connection[data-state=open]");
  await until(page, () => sinew.cockpit.mayChange);
  assert.deepEqual(await page.$$("form.token:not([hidden])"), []);
});
