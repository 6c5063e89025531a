// The server as the npm client of Foxglove sees it: every channel decoded, every harmless service called, parameters
// read, set and watched, references published until the robot moves, the emergency stop.
// usage: node foxglove_client.mjs FOLDER PROGRAM DEPLOYMENT
import { Client, Failure, Robot, check, loadPackages, sleep, until } from "./foxglove_rig.mjs";

const [folder, program, deployment] = process.argv.slice(2);
const packages = loadPackages(folder);

const parts = (name) => "/" + name.replaceAll(".", "/");

// The list of the control socket is the oracle for what the server advertises.
function offersEverything(client, components) {
  const expected = { channels: 0, services: 0 };
  for (const c of components) {
    for (const port of c.ports.filter((p) => p.kind === "out")) {
      const channel = client.channels.get(parts(`${c.name}.${port.name}`));
      check(channel, `no channel for ${c.name}.${port.name}`);
      check(channel.encoding === "cdr" && channel.schemaName.endsWith(`/msg/${port.type}`), `schema of ${channel.topic}`);
      expected.channels++;
    }
    for (const o of c.operations) {
      const isOwnLife = c.name === "cockpit" && o.name !== "getAddress";
      check(client.services.has(parts(`${c.name}.${o.name}`)) !== isOwnLife, `service ${c.name}.${o.name}`);
      expected.services += isOwnLife ? 0 : 1;
    }
  }
  check(client.channels.size === expected.channels + 4, `${client.channels.size} channels`);
  check(client.services.size === expected.services + 1, `${client.services.size} services`);
}

async function readsEveryChannel(client) {
  for (const topic of client.channels.keys()) {
    if (!client.messages.has(topic)) {
      client.subscribe(topic);
    }
  }
  const spoken = ["/timer/sync", "/aggregator/joints_sorted", "/aggregator/joints_accel", "/aggregator/supports",
    "/aggregator/stop", "/resources_control/assignment", "/hold/out_joints_ref", "/kinematics_fwd/limbs",
    "/dynamics_inv/joints_effort", "/dynamics_inv/balance", "/robot_description", "/sinew/log", "/sinew/components", "/sinew/timing"];
  for (const topic of spoken) {
    await until(`a message of ${topic}`, () => client.last(topic));
  }
  const before = client.counts.get("/timer/sync");
  const begunMs = performance.now();
  await sleep(1000);
  const rate = (client.counts.get("/timer/sync") - before) / (1e-3 * (performance.now() - begunMs));
  check(rate <= 62, `${rate} messages a second of one channel`);
  await until("more messages of one channel", () => client.counts.get("/timer/sync") >= before + 5);
  check(client.last("/aggregator/joints_sorted").name.length > 10, "names of joints");
  check(client.last("/robot_description").data.includes("<robot"), "the robot's description");
  check(client.messages.get("/sinew/log").some((m) => m.name === "resources_control" && m.msg.includes("hold") && m.level === 20), "the log");
  await until("the timing", () => {
    const control = client.last("/sinew/timing").activities[0];
    return control.cycles > 100 && control.duration.buckets.length > 0;
  });
  check(client.time > 0n, "the time");
}

async function callsEveryHarmlessService(client, components) {
  let answered = 0;
  for (const c of components) {
    for (const o of c.operations.filter((x) => /^(get|list|is)/.test(x.name))) {
      try {
        const response = await client.call(parts(`${c.name}.${o.name}`), {});
        const names = (o.response?.fields ?? []).map((f) => f.name);
        check(names.every((name) => name in response), `${o.name} answers ${JSON.stringify(response)}`);
        answered++;
      } catch (error) {
        check(o.request !== null && error.message.length > 5, `${c.name}.${o.name}: ${error.message}`);
      }
    }
  }
  check(answered > 8, `${answered} services answered`);
  const chains = await client.call("/robot_model/listChains");
  const joints = await client.call("/robot_model/getChainJoints", { name: chains.names[0] });
  check(joints.names.length > 1, "joints of a chain");
  const refusal = async (name, request) => client.call(name, request).then(() => "", (e) => e.message);
  check((await refusal("/robot_model/getChainJoints", { nome: "x" })).includes("nome"), "a wrong field is named");
  check((await refusal("/robot_model/getChainJoints", { name: "tail" })).includes("tail"), "a wrong name is named");
  await client.call("/dynamics_inv/stop");
  const state = () => client.last("/sinew/components").components.find((c) => c.name === "dynamics_inv").state;
  await until("a stopped component", () => state() === "stopped");
  check((await client.call("/dynamics_inv/start")).state === "running", "started again");
  await until("a running component", () => state() === "running");
}

async function readsAndSetsParameters(client, other, components) {
  const all = await client.get([]);
  for (const c of components) {
    for (const p of c.properties) {
      const found = all.find((x) => x.name === `${c.name}.${p.name}`);
      check(p.name === "robot_description" ? !found : found, `parameter ${c.name}.${p.name}`);
      check(!found || JSON.stringify(found.value ?? null) === JSON.stringify(p.value), `value of ${c.name}.${p.name}`);
    }
  }
  check((await client.get(["/robot_description"]))[0].value.includes("<robot"), "the robot as a parameter");
  const name = "aggregator.reference_timeout";
  const [{ value: before }] = await client.get([name]);
  other.fox.subscribeParameterUpdates([name]);
  await until("the value of a subscribed parameter", () => other.parameters.get(name) === before);
  const [{ value: after }] = await client.set([{ name, value: before + 0.25 }]);
  check(after === before + 0.25, `set to ${after}`);
  await until("an update for the other", () => other.parameters.get(name) === after);
  await client.set([{ name, value: -1 }]);
  await until("a refusal", () => client.statuses.some((s) => s.startsWith(name)));
  check((await client.get([name]))[0].value === after, "a rejected value changes nothing");
  await client.set([{ name, value: before }]);
  await client.get(["missing.nothing"]);
  await until("an unknown parameter", () => client.statuses.some((s) => s.includes("missing")));
}

const position = (client, joint) => {
  const message = client.last("/aggregator/joints_sorted");
  return message.position[message.name.indexOf(joint)];
};

async function movesTheRobot(client) {
  await client.call("/follow/rosSetOperational", { data: true });
  const { names } = await client.call("/robot_model/getChainJoints", { name: (await client.call("/robot_model/listChains")).names[0] });
  const joint = names[1];
  const from = position(client, joint);
  const json = client.fox.advertise({ topic: "/follow/in_joints_ref", encoding: "json", schemaName: "sensor_msgs/msg/JointState" });
  const reach = async (target, send) => {
    await until(`${joint} at ${target}`, () => {
      send(target);
      return Math.abs(position(client, joint) - target) < 1e-3;
    }, 15000);
  };
  await reach(from + 0.1, (q) => client.fox.sendMessage(json, Buffer.from(JSON.stringify({ name: [joint], position: [q] }))));
  const channel = client.channels.get("/aggregator/joints_sorted");
  const writer = new packages.MessageWriter(packages.parse(channel.schema, { ros2: true }));
  const cdr = client.fox.advertise({ topic: "/follow/in_joints_ref", encoding: "cdr", schemaName: "sensor_msgs/msg/JointState" });
  await reach(from, (q) => client.fox.sendMessage(cdr, writer.writeMessage({
    header: { stamp: { sec: 0, nanosec: 0 }, frame_id: "" }, name: [joint], position: [q], velocity: [], effort: [] })));
  client.fox.sendMessage(json, Buffer.from('{"nome": []}'));
  await until("rejection of an invalid message", () => client.statuses.some((s) => s.includes("nome")));
  client.fox.unadvertise(json);
  client.fox.unadvertise(cdr);
  client.fox.advertise({ topic: "/aggregator/sync", encoding: "json", schemaName: "" });
  await until("rejection of an input in use", () => client.statuses.some((s) => s.startsWith("/aggregator/sync")));
  client.fox.advertise({ topic: "/missing/nothing", encoding: "json", schemaName: "" });
  await until("rejection of an unknown input", () => client.statuses.some((s) => s.includes("/missing/nothing")));
}

async function stopsAndResumes(client, other) {
  await other.call("/aggregator/emergencyStop", { who: "the test", why: "to see it" });
  const stop = await until("the stop", () => client.last("/aggregator/stop")?.stopped && client.last("/aggregator/stop").who !== "" && client.last("/aggregator/stop"));
  check(stop.who === "the test" && stop.why === "to see it", `stopped by ${stop.who}`);
  await until("rest", () => client.last("/aggregator/stop").at_rest);
  await client.call("/aggregator/resume", { name: "the test" });
  await until("the end of the stop", () => !client.last("/aggregator/stop").stopped);
}

const robot = new Robot(program, deployment);
let code = 0;
try {
  const address = await robot.address();
  const client = await new Client(packages, address).ready();
  const other = await new Client(packages, address, "foxglove.sdk.v1").ready();
  check(client.info.sessionId === other.info.sessionId && client.info.metadata.may_change === "true", "serverInfo");
  client.subscribe("/sinew/components");
  const { components } = await until("the components", () => client.last("/sinew/components"));
  offersEverything(client, components);
  await readsEveryChannel(client);
  await callsEveryHarmlessService(client, components);
  await readsAndSetsParameters(client, other, client.last("/sinew/components").components);
  await movesTheRobot(client);
  await stopsAndResumes(client, other);
  client.fox.fetchAsset("package://missing/x.stl", 7);
  await until("an answer about an asset", () => client.assets.get(7)?.status === 1);
  // Late clients get the last message of rarely written channels.
  const late = await new Client(packages, address).ready();
  late.subscribe("/aggregator/stop");
  late.subscribe("/resources_control/assignment");
  await until("earlier messages", () => late.last("/aggregator/stop") && late.last("/resources_control/assignment"));
  const sub = late.subscribe("/timer/sync");
  await until("a tick", () => late.last("/timer/sync"));
  late.fox.unsubscribe(sub);
  await sleep(200);
  const count = late.counts.get("/timer/sync");
  await sleep(300);
  check(late.counts.get("/timer/sync") === count, "nothing after unsubscribe");
  console.log(`foxglove: ${client.channels.size} channels, ${client.services.size} services, ${client.parameters.size} parameters`);
} catch (error) {
  code = 1;
  console.error(error instanceof Failure ? `foxglove: ${error.message}` : error);
  console.error(robot.log);
}
const ended = await robot.end();
if (ended !== 0) {
  console.error(`foxglove: the program ended with ${ended}\n${robot.log}`);
  code = 1;
}
process.exit(code);
