import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import { isJogKey, JOG_KEYS, jogOfGamepad, jogOfKeys, keyOf } from "../../src/tool/jog_input";
import { explain, type Jog, type JogAxis, Jogging, STILL } from "../../src/tool/jogging";
import type { Twist } from "../../src/system/messages";
import { Signal } from "../../src/system/signal";
import type { Tools } from "../../src/tool/tools";

interface Sent {
  topic: string;
  message: { header: { frame_id: string }; twist: Twist };
}

function makeJogging() {
  const sent: Sent[] = [];
  const handlers = new Map<string, (message: unknown) => void>();
  const client = {
    state: "open",
    publish: (topic: string, message: Sent["message"]) => sent.push({ topic, message }),
    subscribe: (topic: string, handler: (message: unknown) => void) => {
      handlers.set(topic, handler);
      return () => handlers.delete(topic);
    },
  };
  const cockpit = {
    mayChange: true,
    stop: { stopped: false },
    client,
    onStop: new Signal(),
    onRoles: new Signal(),
    onConnection: new Signal(),
  };
  const properties = [
    { name: "linear_speed", value: 0.2 },
    { name: "angular_speed", value: 0.8 },
    { name: "speed", value: 0.5 },
  ];
  const jogger = { name: "jog", state: "running", properties };
  const tools = { current: { jogger }, onChange: new Signal() };
  const jogging = new Jogging(cockpit as unknown as Cockpit, tools as unknown as Tools);
  tools.onChange.emit();
  jogging.share = 1;
  return { jogging, sent, cockpit, client, tools, handlers };
}

const along = (axis: JogAxis, value = 1): Jog => ({ ...STILL, [axis]: value });
const last = (sent: Sent[]): Twist => sent.at(-1)!.message.twist;

test("each key moves one axis one way, and its opposite cancels it", () => {
  const axes = new Set<string>();
  for (const [code, { axis, sign }] of Object.entries(JOG_KEYS)) {
    assert.deepEqual(jogOfKeys([code]), along(axis, sign));
    assert.equal(`Key${keyOf(axis, sign)}`, code);
    axes.add(`${axis}${sign}`);
  }
  assert.equal(axes.size, 12);
  assert.deepEqual(jogOfKeys(["KeyW", "KeyS", "KeyU"]), along("rz"));
  assert.equal(isJogKey("Space") || isJogKey("constructor"), false);
});

test("a gamepad at rest does not move the tool", () => {
  const button = (pressed: boolean) => ({ pressed }) as GamepadButton;
  const none = Array.from({ length: 16 }, () => button(false));
  assert.deepEqual(jogOfGamepad({ axes: [0.1, -0.1, 0.05, 0.1], buttons: none }), STILL);
  const right = none.map((other, i) => (i === 15 ? button(true) : other));
  const full = jogOfGamepad({ axes: [1, -1, -1, 1], buttons: right });
  assert.deepEqual(full, { x: 1, y: -1, z: -1, rx: 1, ry: 0, rz: 1 });
  assert.deepEqual(jogOfGamepad({ axes: [], buttons: [] }), STILL);
});

test("speed is the share of what the controller allows, in the chosen frame", () => {
  const { jogging, sent } = makeJogging();
  jogging.share = 0.5;
  jogging.frame = "tool";
  jogging.set("keys", along("x", -1));
  assert.equal(sent[0]!.topic, "/jog/in_twist");
  assert.equal(sent[0]!.message.header.frame_id, "tool");
  assert.deepEqual(last(sent).linear, { x: -0.05, y: 0, z: 0 });
  jogging.release();
  jogging.frame = "base";
  jogging.set("keys", along("rz"));
  assert.equal(sent.at(-1)!.message.header.frame_id, "");
  assert.deepEqual(last(sent).angular, { x: 0, y: 0, z: 0.2 });
  jogging.release();
});

test("a held command is repeated often enough, and a rest is sent once", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  const { jogging, sent } = makeJogging();
  jogging.set("keys", along("z"));
  mock.timers.tick(1000);
  assert.ok(sent.length >= 20, `${sent.length} messages in a second`);
  jogging.set("keys", STILL);
  const count = sent.length;
  assert.deepEqual(last(sent).linear, { x: 0, y: 0, z: 0 });
  mock.timers.tick(1000);
  assert.equal(sent.length, count);
  mock.timers.reset();
});

test("a stop, a lost connection, lost rights and another tool end the command", () => {
  const ends: ((rig: ReturnType<typeof makeJogging>) => void)[] = [
    ({ cockpit }) => {
      cockpit.stop.stopped = true;
      cockpit.onStop.emit();
    },
    ({ cockpit, client }) => {
      client.state = "waiting";
      cockpit.onConnection.emit();
    },
    ({ cockpit }) => {
      cockpit.mayChange = false;
      cockpit.onConnection.emit();
    },
    ({ tools }) => tools.onChange.emit(),
  ];
  for (const end of ends) {
    const rig = makeJogging();
    rig.jogging.set("keys", along("x"));
    assert.notDeepEqual(rig.jogging.command, STILL);
    end(rig);
    assert.deepEqual(rig.jogging.command, STILL);
    assert.deepEqual(last(rig.sent).linear, { x: 0, y: 0, z: 0 });
  }
});

test("what slows the tool down is said with the joint", () => {
  const { jogging, handlers } = makeJogging();
  handlers.get("/jog/state")!({ status: "blocked", reason: "limit", joint: "elbow" });
  assert.equal(explain(jogging.state!), "Stopped: elbow is near its limit");
  handlers.get("/jog/state")!({ status: "moving", reason: "", joint: "" });
  assert.equal(explain(jogging.state!), "");
});
