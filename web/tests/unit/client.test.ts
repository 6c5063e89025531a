// The client against a fake socket: what it sends, and that it survives lost connections.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../src/foxglove/backoff";
import { Client } from "../../src/foxglove/client";
import { writeCdr } from "../../src/foxglove/cdr";
import { parseSchema } from "../../src/foxglove/schema";
import { Peer, response } from "./peer";

const SCHEMA = "float64 x";
const channel = (id: number, topic: string) => ({
  id,
  topic,
  encoding: "cdr",
  schemaName: "t/T",
  schema: SCHEMA,
});

function data(subscriptionId: number, x: number): ArrayBuffer {
  const payload = writeCdr(parseSchema("t/T", SCHEMA), { x });
  const bytes = new Uint8Array(13 + payload.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 1);
  view.setUint32(1, subscriptionId, true);
  view.setBigUint64(5, 7n, true);
  bytes.set(payload, 13);
  return bytes.buffer;
}

function rig(): { client: Client; peers: Peer[]; last: () => Peer } {
  const peers: Peer[] = [];
  const client = new Client({
    open: () => {
      peers.push(new Peer());
      return peers[peers.length - 1]!;
    },
    backoff: new Backoff(1, 1),
    silenceMs: 60000,
  });
  return { client, peers, last: () => peers[peers.length - 1]! };
}

const HELLO = { op: "serverInfo", name: "sinew", sessionId: "1", capabilities: [] };

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test("a topic is subscribed to when it is advertised, whichever comes first", () => {
  const { client, last } = rig();
  const seen: number[] = [];
  client.subscribe<{ x: number }>("/a", (message) => seen.push(message.x));
  client.start();
  last().say(HELLO);
  assert.equal(last().said("subscribe").length, 0);
  last().say({ op: "advertise", channels: [channel(3, "/a"), channel(4, "/b")] });
  const [subscribe] = last().said("subscribe");
  const [wanted] = subscribe!["subscriptions"] as { id: number; channelId: number }[];
  assert.equal(wanted!.channelId, 3);
  last().sayBytes(data(wanted!.id, 1.5));
  last().sayBytes(data(wanted!.id + 100, 9)); // unknown subscription
  assert.deepEqual(seen, [1.5]);
  client.stop();
});

test("after a lost connection topics are subscribed to again, by name", async () => {
  const { client, peers, last } = rig();
  const seen: number[] = [];
  client.subscribe<{ x: number }>("/a", (message) => seen.push(message.x));
  client.start();
  last().say(HELLO);
  last().say({ op: "advertise", channels: [channel(3, "/a")] });
  await assert.rejects(client.call("/nothing"), /no service/);
  last().close();
  assert.equal(client.state, "waiting");
  await until(() => peers.length === 2);
  last().say({ ...HELLO, sessionId: "2" });
  last().say({ op: "advertise", channels: [channel(77, "/a")] });
  const [wanted] = last().said("subscribe")[0]!["subscriptions"] as {
    id: number;
    channelId: number;
  }[];
  assert.equal(wanted!.channelId, 77);
  last().sayBytes(data(wanted!.id, 2));
  assert.deepEqual(seen, [2]);
  client.stop();
});

test("calls get their own answers, and end when the connection does", async () => {
  const { client, last } = rig();
  client.start();
  last().say(HELLO);
  last().say({
    op: "advertiseServices",
    services: [{ id: 5, name: "/a/b", type: "T" }],
  });
  const first = client.call<{ n: number }>("/a/b", { q: 1 });
  const second = client.call<{ n: number }>("/a/b", { q: 2 });
  const third = client.call("/a/b");
  const fourth = client.call("/a/b");
  const calls = last().sent.filter((sent): sent is ArrayBuffer => typeof sent !== "string");
  assert.equal(calls.length, 4);
  last().sayBytes(response(calls[1]!, '{"n":2}'));
  last().sayBytes(response(calls[0]!, '{"n":1}'));
  assert.deepEqual([(await first).n, (await second).n], [1, 2]);
  const callId = new DataView(calls[2]!).getUint32(5, true);
  last().say({ op: "serviceCallFailure", serviceId: 5, callId, message: "not now" });
  await assert.rejects(third, /not now/);
  last().close();
  await assert.rejects(fourth, /connection was lost/);
  client.stop();
});

test("a silent server is disconnected", async () => {
  const peers: Peer[] = [];
  const client = new Client({
    open: () => {
      peers.push(new Peer());
      return peers[peers.length - 1]!;
    },
    backoff: new Backoff(1, 1),
    silenceMs: 20,
  });
  client.start();
  peers[0]!.say(HELLO);
  await until(() => peers.length >= 2);
  assert.equal(peers[0]!.readyState, 3);
  client.stop();
});

test("publishing advertises once per connection", async () => {
  const { client, peers, last } = rig();
  client.start();
  assert.equal(client.publish("/follow/in_joints_ref", {}), false);
  last().say(HELLO);
  assert.ok(client.publish("/follow/in_joints_ref", { name: ["a"] }));
  assert.ok(client.publish("/follow/in_joints_ref", { name: ["b"] }));
  assert.equal(last().said("advertise").length, 1);
  const sent = last().sent.filter((item): item is ArrayBuffer => typeof item !== "string");
  assert.equal(new TextDecoder().decode(sent[1]!.slice(5)), '{"name":["b"]}');
  last().close();
  await until(() => peers.length === 2);
  last().say(HELLO);
  assert.ok(client.publish("/follow/in_joints_ref", {}));
  assert.equal(last().said("advertise").length, 1);
  client.stop();
});
