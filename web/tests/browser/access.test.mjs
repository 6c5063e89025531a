import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { enter, openCockpit, openPage, reaches, System, take, until } from "./rig.mjs";

const system = await new System().start();

test("a foreign page cannot connect", async () => {
  const foreign = createServer((_request, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end("<!doctype html><title>foreign</title>");
  });
  await new Promise((done) => foreign.listen(0, "127.0.0.1", done));
  try {
    const page = await openPage(`http://127.0.0.1:${foreign.address().port}/`);
    const knock = (url) =>
      page.evaluate(
        (address) =>
          new Promise((done) => {
            const socket = new WebSocket(address, ["foxglove.websocket.v1"]);
            socket.onmessage = () => done("in");
            socket.onclose = () => done("refused");
          }),
        url,
      );
    assert.equal(await knock(`ws://127.0.0.1:${system.port}/`), "refused");
    // Nor with another subprotocol, or without one: an open connection would use up a client slot.
    const open = (url, protocols) =>
      page.evaluate(
        ([address, names]) =>
          new Promise((done) => {
            const socket = new WebSocket(address, names);
            socket.onopen = () => done("open");
            socket.onclose = () => done("refused");
          }),
        [url, protocols],
      );
    for (const protocols of [
      [],
      ["http"],
      ["http", "foxglove.websocket.v1"],
      ["foxglove.sdk.v1"],
    ]) {
      assert.equal(
        await open(`ws://127.0.0.1:${system.port}/`, protocols),
        "refused",
        protocols.join(),
      );
    }
    // The same request from the cockpit's page succeeds: the origin is what is rejected.
    await page.goto(system.url);
    assert.equal(await knock(`ws://127.0.0.1:${system.port}/`), "in");
  } finally {
    foreign.close();
  }
});

test("two browsers show the same, and each can stop the robot", async () => {
  const one = await openCockpit(system.url);
  const two = await openCockpit(system.url);
  await take(one, "leg1");
  await enter(one, "leg1_joint3", 0.35);
  await reaches(two, "leg1_joint3", 0.35, 1e-3);
  await two.waitForFunction(
    () => Math.abs(document.querySelector("[data-joint=leg1_joint3]").valueAsNumber - 0.35) < 1e-3,
  );
  // The second browser moves another joint of the same limb; the first joint keeps its position.
  await enter(two, "leg1_joint2", 0.2);
  await reaches(one, "leg1_joint2", 0.2, 1e-3);
  await reaches(one, "leg1_joint3", 0.35, 1e-3);
  await two.click("#stop");
  await one.waitForSelector("#stopped:not([hidden])");
  await one.click("#resume");
  await two.waitForSelector("#stopped", { state: "hidden" });
});

test("the page reconnects after a restart of the server", async () => {
  const page = await openCockpit(system.url);
  const session = await page.evaluate(() => sinew.cockpit.client.info.sessionId);
  await system.stop();
  await page.waitForSelector("#connection[data-state=waiting]");
  await system.start();
  await page.waitForSelector("#connection[data-state=open]");
  await until(page, (old) => sinew.cockpit.client.info.sessionId !== old, session);
  await until(page, () => sinew.cockpit.ownerOf("leg1") === "hold");
  await take(page, "leg1");
  await enter(page, "leg1_joint3", 0.2);
  await reaches(page, "leg1_joint3", 0.2, 1e-3);
});
