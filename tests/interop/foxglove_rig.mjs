// A running system and npm clients of its server.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export function loadPackages(folder) {
  const require = createRequire(path.join(path.resolve(folder), "package.json"));
  return {
    FoxgloveClient: require("@foxglove/ws-protocol").FoxgloveClient,
    WebSocket: require("ws"),
    parse: require("@foxglove/rosmsg").parse,
    ...require("@foxglove/rosmsg2-serialization"),
  };
}

export class Failure extends Error {}

export function check(condition, text) {
  if (!condition) {
    throw new Failure(text);
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Waits for a condition; on timeout the error names it.
export async function until(what, condition, ms = 60000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = condition();
    if (value) {
      return value;
    }
    check(Date.now() < end, `not within ${ms} ms: ${what}`);
    await sleep(10);
  }
}

// `sinew run` of a deployment, with its socket in a temporary folder.
export class Robot {
  constructor(program, deployment, settings = [], options = []) {
    this.folder = mkdtempSync(path.join(tmpdir(), "sinew-foxglove-"));
    const args = ["run", path.resolve(deployment), "--socket", path.join(this.folder, "s"), ...options];
    for (const setting of settings) {
      args.push("--set", setting);
    }
    this.out = "";
    this.log = "";
    this.child = spawn(path.resolve(program), args, { cwd: this.folder });
    this.child.stdout.on("data", (data) => (this.out += data));
    this.child.stderr.on("data", (data) => (this.log += data));
    this.ended = new Promise((resolve) => this.child.on("exit", (code) => resolve(code)));
  }

  async address() {
    await until("the cockpit's address", () => this.out.includes("cockpit: ") || this.child.exitCode !== null);
    const match = /^cockpit: http:\/\/(.*)\/$/m.exec(this.out);
    check(match, `no address: ${this.out} ${this.log}`);
    return match[1];
  }

  // Stops it as a user would. @return its exit code
  async end() {
    this.child.kill("SIGINT");
    const code = await Promise.race([this.ended, sleep(15000).then(() => "hangs")]);
    if (code === "hangs") {
      this.child.kill("SIGKILL");
    }
    rmSync(this.folder, { recursive: true, force: true });
    return code;
  }
}

// One client, with promises for responses.
export class Client {
  constructor(packages, address, protocol = "foxglove.websocket.v1", options = {}) {
    this.packages = packages;
    this.ws = new packages.WebSocket(`ws://${address}/`, [protocol], options);
    this.fox = new packages.FoxgloveClient({ ws: this.ws });
    this.channels = new Map();
    this.services = new Map();
    this.statuses = [];
    this.messages = new Map(); // topic -> decoded messages
    this.counts = new Map();
    this.byId = new Map();
    this.waiting = new Map();
    this.assets = new Map();
    this.parameters = new Map();
    this.updates = [];
    this.time = 0n;
    this.nextCall = 1;
    this.isClosed = false;
    this.fox.on("error", () => {});
    this.fox.on("serverInfo", (info) => (this.info = info));
    this.fox.on("status", (status) => this.statuses.push(status.message));
    this.fox.on("time", (time) => (this.time = time.timestamp));
    this.fox.on("close", () => (this.isClosed = true));
    this.fox.on("advertise", (list) => list.forEach((c) => this.channels.set(c.topic, c)));
    this.fox.on("advertiseServices", (list) => list.forEach((s) => this.services.set(s.name, s)));
    this.fox.on("message", (event) => this.receive(event));
    this.fox.on("serviceCallResponse", (event) => {
      this.waiting.get(event.callId)?.resolve(JSON.parse(Buffer.from(event.data.buffer, event.data.byteOffset, event.data.byteLength)));
    });
    this.fox.on("serviceCallFailure", (event) => this.waiting.get(event.callId)?.reject(new Failure(event.message)));
    this.fox.on("fetchAssetResponse", (event) => this.assets.set(event.requestId, event));
    this.fox.on("parameterValues", (event) => {
      event.parameters.forEach((p) => this.parameters.set(p.name, p.value));
      (event.id === undefined ? this.updates : []).push(event);
      this.waiting.get(event.id)?.resolve(event.parameters);
    });
  }

  async ready() {
    await until("channels and services", () => this.info && this.channels.size > 0 && this.services.size > 0);
    return this;
  }

  decoder(channel) {
    if (channel.encoding === "json") {
      return (data) => JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    }
    check(channel.schemaEncoding === "ros2msg", `${channel.topic} has the schema ${channel.schemaEncoding}`);
    const reader = new this.packages.MessageReader(this.packages.parse(channel.schema, { ros2: true }));
    return (data) => reader.readMessage(data);
  }

  subscribe(topic) {
    const channel = this.channels.get(topic);
    check(channel, `no channel ${topic}`);
    const id = this.fox.subscribe(channel.id);
    this.byId.set(id, { topic, decode: this.decoder(channel) });
    this.messages.set(topic, []);
    this.counts.set(topic, 0);
    return id;
  }

  receive(event) {
    const { topic, decode } = this.byId.get(event.subscriptionId);
    const list = this.messages.get(topic);
    list.push(decode(event.data));
    this.counts.set(topic, this.counts.get(topic) + 1);
    if (list.length > 200) {
      list.shift();
    }
  }

  last(topic) {
    return this.messages.get(topic)?.at(-1);
  }

  answer(key, send) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Failure(`no answer: ${key}`)), 10000);
      const done = (how) => (value) => {
        clearTimeout(timer);
        this.waiting.delete(key);
        how(value);
      };
      this.waiting.set(key, { resolve: done(resolve), reject: done(reject) });
      send();
    });
  }

  call(name, request = {}) {
    const service = this.services.get(name);
    check(service, `no service ${name}`);
    const callId = this.nextCall++;
    const bytes = Buffer.from(JSON.stringify(request));
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.answer(callId, () =>
      this.fox.sendServiceCallRequest({ serviceId: service.id, callId, encoding: "json", data }));
  }

  get(names) {
    const id = `get-${this.nextCall++}`;
    return this.answer(id, () => this.fox.getParameters(names, id));
  }

  set(parameters) {
    const id = `set-${this.nextCall++}`;
    return this.answer(id, () => this.fox.setParameters(parameters, id));
  }

  close() {
    this.fox.close();
  }
}
