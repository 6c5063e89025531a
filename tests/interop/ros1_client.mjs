// A ROS 1 node of @foxglove/ros1 checks the demo quadruped: parameter, topics of standard and own types,
// latched topics, statistics; then it moves the head.
// usage: ros1_client.mjs FOLDER URDF     FOLDER holds node_modules; the master is that of ROS_MASTER_URI
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { RosFollowerClient, RosNode } = require("@foxglove/ros1");
const { TcpServerNode, TcpSocketNode } = require("@foxglove/ros1/nodejs");
const { HttpServerNodejs } = require("@foxglove/xmlrpc/nodejs");
const { md5, parse } = require("@foxglove/rosmsg");
const urdf = readFileSync(process.argv[3], "utf8");
const PATIENCE_MS = 60000;

function check(isGood, what) {
  if (!isGood) {
    throw new Error(`failed: ${what}`);
  }
  console.log(`          ${what}`);
}

async function waitFor(condition, what) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const value = await condition();
    if (value) {
      return value;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`timeout: ${what}`);
}

// All messages of a topic and its connection header.
function listen(node, topic, dataType) {
  const heard = { messages: [], header: undefined };
  const subscription = node.subscribe({ topic, dataType });
  subscription.on("header", (header) => (heard.header = header));
  subscription.on("message", (message) => heard.messages.push(message));
  subscription.on("error", (error) => console.log(`${topic}: ${error}`));
  return heard;
}

async function topics(node) {
  const published = new Map(await node.getPublishedTopics());
  check(published.get("/joint_states") === "sensor_msgs/JointState", "topics are listed");
  const heard = {};
  for (const topic of ["/joint_states", "/tf", "/tf_static", "/robot_description", "/resources_control/assignment"]) {
    heard[topic] = listen(node, topic, published.get(topic));
  }
  await waitFor(() => Object.values(heard).every((h) => h.messages.length > 0), "each topic");
  await waitFor(() => heard["/joint_states"].messages.length >= 100, "joint states");

  const states = heard["/joint_states"].messages;
  check(states.every((m, i) => i === 0 || m.header.seq === states[i - 1].header.seq + 1), `${states.length} joint states, no gap`);
  const age = Date.now() / 1000 - states.at(-1).header.stamp.sec;
  check(Math.abs(age) < 30, "their stamp is wall-clock time");
  check(states[0].name.includes("leg1_joint1") && states[0].position.length === states[0].name.length, "names and positions");
  const frames = heard["/tf"].messages.at(-1).transforms;
  const norms = frames.map((t) => Math.hypot(...Object.values(t.transform.rotation)));
  check(frames.length > 10 && norms.every((n) => Math.abs(n - 1) < 1e-9), `${frames.length} frames`);
  check(heard["/robot_description"].messages[0].data === urdf, "latched robot_description is the file");
  const table = heard["/resources_control/assignment"];
  check(table.messages[0].resources.length === table.messages[0].owners.length && table.messages[0].owners.length > 0,
    `latched owners, a type of ours: ${table.messages[0].owners.join(" ")}`);
  for (const [topic, { header }] of Object.entries(heard)) {
    check(md5(parse(header.get("message_definition"))) === header.get("md5sum"), `MD5 sum of ${topic}`);
  }
  check(table.header.get("latching") === "1" && heard["/tf"].header.get("latching") === "0", "the latching field is correct");
}

async function statistics(node, xmlrpc) {
  const [, , connections] = await xmlrpc.getBusInfo(node.name);
  const mine = connections.find((c) => c[1] === node.name && c[4] === "/joint_states");
  check(mine !== undefined && mine[2] === "o" && mine[3] === "TCPROS", "getBusInfo lists this node");
  const [, , [published]] = await xmlrpc.getBusStats(node.name);
  const counts = published.find(([topic]) => topic === "/joint_states")[2].find((c) => c[0] === mine[0]);
  check(counts[2] >= 100, `getBusStats: ${counts[2]} messages`);
}

async function move(node) {
  const robot = listen(node, "/aggregator/joints_sorted", "sensor_msgs/JointState");
  await waitFor(() => robot.messages.length > 0, "the commanded pose");
  const head = (message) => message.position[message.name.indexOf("head_joint1")];
  const target = head(robot.messages[0]) > 0.1 ? -0.2 : 0.3;
  await node.advertise({
    topic: "/follow/in_joints_ref",
    dataType: "sensor_msgs/JointState",
    messageDefinitionText: "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n" +
      `${"=".repeat(80)}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n`,
  });
  const reference = {
    header: { seq: 0, stamp: { sec: 0, nsec: 0 }, frame_id: "" }, name: ["head_joint1"], position: [target], velocity: [], effort: [],
  };
  await waitFor(async () => {
    await node.publish("/follow/in_joints_ref", reference);
    return Math.abs(head(robot.messages.at(-1)) - target) < 1e-3;
  }, "the robot follows");
  check(true, `the robot follows what we publish, to ${target} rad`);
}

const node = new RosNode({
  name: `/npm_${process.pid}`,
  hostname: "127.0.0.1",
  pid: process.pid,
  rosMasterUri: process.env.ROS_MASTER_URI,
  httpServer: new HttpServerNodejs(),
  tcpSocketCreate: TcpSocketNode.Create,
  tcpServer: await TcpServerNode.Listen({ host: "127.0.0.1" }),
});
try {
  await node.start();
  const value = await waitFor(async () => (await node.getParamNames()).includes("/robot_description") &&
    node.subscribeParam("/robot_description"), "the parameter");
  check(value === urdf, "parameter robot_description is the file");
  await waitFor(async () => new Map(await node.getPublishedTopics()).has("/tf"), "the node is registered");
  await topics(node);
  const [, , api] = await node.rosMasterClient.lookupNode(node.name, "/sinew");
  await statistics(node, new RosFollowerClient(api));
  await move(node);
  node.shutdown();
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
