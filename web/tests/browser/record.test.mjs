import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { McapStreamReader } from "@mcap/core";
import { openCockpit, System, until } from "./rig.mjs";

const system = await new System().start();

test("a recording is made, downloaded and read by another library", async () => {
  const page = await openCockpit(system.url);
  await page.click("#record");
  await page.waitForSelector("#record[aria-pressed=true]");
  await until(page, () => /^[1-9]\d* kB|MB/.test(document.querySelector("#record").textContent));
  await page.click("#record");
  await page.waitForSelector("#record[aria-pressed=false]");
  await page.waitForSelector("#download:not([hidden])");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  assert.match(download.suggestedFilename(), /\.mcap$/);
  const zstd = (packed) => execFileSync("zstd", ["-dc"], { input: packed, maxBuffer: 1 << 26 });
  const reader = new McapStreamReader({ decompressHandlers: { zstd } });
  reader.append(readFileSync(await download.path()));
  const topics = new Map();
  let messages = 0;
  for (let record; (record = reader.nextRecord());) {
    if (record.type === "Channel") {
      topics.set(record.topic, record.messageEncoding);
    }
    messages += record.type === "Message" ? 1 : 0;
  }
  assert.ok(reader.done(), "the file has its end");
  assert.equal(topics.get("/aggregator/joints_sorted"), "cdr");
  assert.ok(messages > 50, `${messages} messages`);
  assert.deepEqual(page.problems, []);
});
