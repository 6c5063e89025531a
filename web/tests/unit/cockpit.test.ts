// The cockpit against a fake server: what it reads, and that it reads it again after a reconnection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Cockpit } from "../../src/system/cockpit";
import { Peer, response } from "./peer";

const components = [
  {
    name: "robot_model",
    type: "RobotModelURDF",
    state: "running",
    properties: [],
    ports: [],
    operations: [{ name: "listLimbs", doc: "" }],
  },
];

/** A server that has just accepted a connection. */
function greet(peer: Peer): void {
  const topic = "/sinew/components";
  peer.say({ op: "serverInfo", name: "sinew", capabilities: [] });
  peer.say({
    op: "advertise",
    channels: [{ id: 1, topic, encoding: "json", schemaName: "", schema: "" }],
  });
  const wanted = peer.said("subscribe").flatMap((m) => m["subscriptions"]) as {
    id: number;
    channelId: number;
  }[];
  const text = new TextEncoder().encode(JSON.stringify({ components }));
  const bytes = new Uint8Array(13 + text.length);
  bytes[0] = 1;
  new DataView(bytes.buffer).setUint32(
    1,
    wanted.find(({ channelId }) => channelId === 1)!.id,
    true,
  );
  bytes.set(text, 13);
  peer.sayBytes(bytes.buffer);
  peer.say({
    op: "advertiseServices",
    services: [{ id: 7, name: "/robot_model/listLimbs", type: "" }],
  });
}

const calls = (peer: Peer) => peer.sent.filter((data) => data instanceof ArrayBuffer);

test("limbs are read in one call, and again after a lost connection", async () => {
  const peers: Peer[] = [];
  const cockpit = new Cockpit(() => {
    peers.push(new Peer());
    return peers.at(-1)!;
  });
  cockpit.client.start();
  greet(peers[0]!);
  await turn();
  assert.equal(calls(peers[0]!).length, 1);
  peers[0]!.close(); // before it has answered
  await turn();
  assert.deepEqual(cockpit.chains, []);
  cockpit.client.retryNow();
  assert.equal(peers.length, 2);
  greet(peers[1]!);
  await turn();
  assert.equal(calls(peers[1]!).length, 1);
  const answer = { chains: ["leg"], contacts: ["hoof"], joint_counts: [2], joints: ["a", "b"] };
  peers[1]!.sayBytes(response(calls(peers[1]!)[0] as ArrayBuffer, JSON.stringify(answer)));
  await turn();
  assert.deepEqual(cockpit.chains, [{ name: "leg", joints: ["a", "b"] }]);
  assert.equal(cockpit.isLegged, true);
  cockpit.client.stop();
});
