// A client of the Foxglove WebSocket protocol that outlives its connections: what was asked for once
// (topics, parameters) is asked for again whenever a server answers.
import { Backoff } from "./backoff";
import { type Message, readCdr } from "./cdr";
import { parseSchema, type Struct } from "./schema";
import {
  type Channel,
  decodeBinary,
  encodeCall,
  encodeMessage,
  type Parameter,
  type ServerBinary,
  type ServerText,
  type Service,
} from "./wire";

export const PROTOCOLS = ["foxglove.websocket.v1", "foxglove.sdk.v1"];

export type ConnectionState = "connecting" | "open" | "waiting";
/** What `json` and `cdr` channels carry alike. */
export type Handler<T> = (message: T, timeNs: bigint) => void;

/** The part of a WebSocket that is used; tests bring their own. */
export interface Socket {
  binaryType: string;
  readonly readyState: number;
  onopen: ((event: unknown) => void) | null;
  onclose: ((event: unknown) => void) | null;
  onerror: ((event: unknown) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(data: string | ArrayBuffer): void;
  close(): void;
}

export interface ClientOptions {
  open: () => Socket;
  backoff?: Backoff;
  /** A server that says nothing for so long is gone; it sends the time ten times a second. */
  silenceMs?: number;
}

interface Subscription {
  topic: string;
  handlers: Set<Handler<never>>;
  id: number;
  channel?: Channel;
  decode?: (payload: Uint8Array) => unknown;
}

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (reason: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

const OPEN = 1;
const SILENT_TICKS = 8;

function decoderOf(channel: Channel): (payload: Uint8Array) => unknown {
  if (channel.encoding === "json") {
    const text = new TextDecoder();
    return (payload) => JSON.parse(text.decode(payload)) as unknown;
  }
  if (channel.encoding === "cdr") {
    const type: Struct = parseSchema(channel.schemaName, channel.schema);
    return (payload): Message => readCdr(type, payload);
  }
  throw new Error(`${channel.topic}: encoding '${channel.encoding}' is not known here`);
}

export class Client {
  state: ConnectionState = "connecting";
  /** Of the server; the values of the last connection stay until there is another. */
  info: { name: string; sessionId: string; metadata: Record<string, string> } | undefined;
  timeNs = 0n;

  onState: (state: ConnectionState) => void = () => undefined;
  onInfo: () => void = () => undefined;
  onStatus: (level: number, message: string) => void = () => undefined;
  onParameters: (parameters: Parameter[]) => void = () => undefined;
  /** Channels or services came or went. */
  onOffer: () => void = () => undefined;

  private socket: Socket | undefined;
  private isEnded = false;
  private readonly backoff: Backoff;
  private readonly silenceMs: number;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setInterval> | undefined;
  private silentTicks = 0;

  private readonly channels = new Map<string, Channel>();
  private readonly services = new Map<string, Service>();
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly byId = new Map<number, Subscription>();
  private readonly published = new Map<string, number>();
  private readonly calls = new Map<number, PendingCall>();
  private readonly watched = new Set<string>();
  private nextId = 1;

  constructor(private readonly options: ClientOptions) {
    this.backoff = options.backoff ?? new Backoff();
    this.silenceMs = options.silenceMs ?? 4000;
  }

  // ---- connection ----

  start(): void {
    this.isEnded = false;
    this.connect();
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.retry);
    this.drop();
  }

  /** Try now rather than when the time has come. */
  hurry(): void {
    if (this.state === "waiting" && !this.isEnded) {
      clearTimeout(this.retry);
      this.connect();
    }
  }

  private connect(): void {
    this.setState("connecting");
    const socket = this.options.open();
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    this.silentTicks = 0;
    socket.onmessage = (event) => {
      if (socket === this.socket) {
        this.silentTicks = 0;
        this.receive(event.data);
      }
    };
    socket.onclose = () => {
      if (socket === this.socket) {
        this.drop();
      }
    };
    socket.onerror = () => undefined; // onclose comes after it
    // Ticks are counted, not time: a page that was busy for long has heard nothing, and it is not
    // the server's fault. Between two ticks there is always a turn for what has come.
    this.watchdog = setInterval(() => {
      this.silentTicks++;
      if (this.silentTicks > SILENT_TICKS) {
        this.drop();
      }
    }, this.silenceMs / SILENT_TICKS);
  }

  /** The connection is no more: whoever waits for an answer hears of it. */
  private drop(): void {
    const socket = this.socket;
    this.socket = undefined;
    clearInterval(this.watchdog);
    if (socket !== undefined) {
      socket.onmessage = socket.onclose = null;
      socket.close();
    }
    this.channels.clear();
    this.services.clear();
    this.published.clear();
    this.byId.clear();
    for (const subscription of this.subscriptions.values()) {
      delete subscription.channel;
    }
    for (const call of this.calls.values()) {
      clearTimeout(call.timer);
      call.reject(new Error("the connection was lost"));
    }
    this.calls.clear();
    if (!this.isEnded) {
      this.setState("waiting");
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.connect(), this.backoff.next());
    }
  }

  private setState(state: ConnectionState): void {
    if (state !== this.state) {
      this.state = state;
      this.onState(state);
    }
  }

  private send(data: string | ArrayBuffer): boolean {
    if (this.socket === undefined || this.socket.readyState !== OPEN) {
      return false;
    }
    this.socket.send(data);
    return true;
  }

  private sendJson(message: object): boolean {
    return this.send(JSON.stringify(message));
  }

  // ---- what the server says ----

  private receive(data: unknown): void {
    if (typeof data === "string") {
      this.receiveText(JSON.parse(data) as ServerText);
    } else if (data instanceof ArrayBuffer) {
      const binary = decodeBinary(data);
      if (binary !== undefined) {
        this.receiveBinary(binary);
      }
    }
  }

  private receiveText(message: ServerText): void {
    switch (message.op) {
      case "serverInfo":
        this.begin(message);
        break;
      case "status":
        this.onStatus(message.level, message.message);
        break;
      case "advertise":
        for (const channel of message.channels) {
          this.channels.set(channel.topic, channel);
        }
        this.attach();
        this.onOffer();
        break;
      case "unadvertise":
        this.detach(new Set(message.channelIds));
        this.onOffer();
        break;
      case "advertiseServices":
        for (const service of message.services) {
          this.services.set(service.name, service);
        }
        this.onOffer();
        break;
      case "unadvertiseServices": {
        const gone = new Set(message.serviceIds);
        for (const [name, service] of this.services) {
          if (gone.has(service.id)) {
            this.services.delete(name);
          }
        }
        this.onOffer();
        break;
      }
      case "parameterValues":
        this.onParameters(message.parameters);
        break;
      case "serviceCallFailure":
        this.settle(message.callId)?.reject(new Error(message.message));
        break;
    }
  }

  private begin(message: ServerText & { op: "serverInfo" }): void {
    this.info = {
      name: message.name,
      sessionId: message.sessionId ?? "",
      metadata: message.metadata ?? {},
    };
    this.backoff.reset();
    this.setState("open");
    this.onInfo();
    if (this.watched.size > 0) {
      this.watch([...this.watched]);
    }
  }

  private receiveBinary(message: ServerBinary): void {
    if (message.op === "time") {
      this.timeNs = message.timeNs;
    } else if (message.op === "response") {
      const call = this.settle(message.callId);
      const text = new TextDecoder().decode(message.payload);
      call?.resolve(text === "" ? {} : (JSON.parse(text) as unknown));
    } else {
      const subscription = this.byId.get(message.subscriptionId);
      const value = subscription?.decode?.(message.payload);
      for (const handler of subscription?.handlers ?? []) {
        (handler as Handler<unknown>)(value, message.timeNs);
      }
    }
  }

  // ---- topics ----

  hasTopic(topic: string): boolean {
    return this.channels.has(topic);
  }

  topics(): string[] {
    return [...this.channels.keys()];
  }

  /** From now on, whenever there is such a topic. @return ends it */
  subscribe<T>(topic: string, handler: Handler<T>): () => void {
    let subscription = this.subscriptions.get(topic);
    if (subscription === undefined) {
      subscription = { topic, handlers: new Set(), id: this.nextId++ };
      this.subscriptions.set(topic, subscription);
    }
    subscription.handlers.add(handler as Handler<never>);
    this.attach();
    return () => this.unsubscribe(topic, handler);
  }

  private unsubscribe<T>(topic: string, handler: Handler<T>): void {
    const subscription = this.subscriptions.get(topic);
    if (subscription === undefined) {
      return;
    }
    subscription.handlers.delete(handler as Handler<never>);
    if (subscription.handlers.size === 0) {
      this.subscriptions.delete(topic);
      if (subscription.channel !== undefined) {
        this.byId.delete(subscription.id);
        this.sendJson({ op: "unsubscribe", subscriptionIds: [subscription.id] });
      }
    }
  }

  private attach(): void {
    const wanted: { id: number; channelId: number }[] = [];
    for (const subscription of this.subscriptions.values()) {
      const channel = this.channels.get(subscription.topic);
      if (channel === undefined || subscription.channel !== undefined || this.state !== "open") {
        continue;
      }
      subscription.channel = channel;
      subscription.decode = decoderOf(channel);
      this.byId.set(subscription.id, subscription);
      wanted.push({ id: subscription.id, channelId: channel.id });
    }
    if (wanted.length > 0) {
      this.sendJson({ op: "subscribe", subscriptions: wanted });
    }
  }

  private detach(gone: Set<number>): void {
    for (const [topic, channel] of this.channels) {
      if (gone.has(channel.id)) {
        this.channels.delete(topic);
        const subscription = this.subscriptions.get(topic);
        if (subscription !== undefined) {
          this.byId.delete(subscription.id);
          delete subscription.channel;
          subscription.id = this.nextId++; // the old one may still be under way
        }
      }
    }
  }

  /** @return whether it is on its way: not if there is no connection */
  publish(topic: string, message: unknown): boolean {
    if (this.state !== "open") {
      return false;
    }
    let id = this.published.get(topic);
    if (id === undefined) {
      id = this.nextId++;
      this.published.set(topic, id);
      this.sendJson({
        op: "advertise",
        channels: [{ id, topic, encoding: "json", schemaName: "" }],
      });
    }
    return this.send(encodeMessage(id, new TextEncoder().encode(JSON.stringify(message))));
  }

  /** A topic that others may write again. */
  unpublish(topic: string): void {
    const id = this.published.get(topic);
    if (id !== undefined) {
      this.published.delete(topic);
      this.sendJson({ op: "unadvertise", channelIds: [id] });
    }
  }

  // ---- services ----

  hasService(name: string): boolean {
    return this.services.has(name);
  }

  call<T = unknown>(name: string, request: object = {}, timeoutMs = 15000): Promise<T> {
    const service = this.services.get(name);
    if (this.state !== "open") {
      return Promise.reject(new Error("there is no connection"));
    }
    if (service === undefined) {
      return Promise.reject(new Error(`there is no service ${name}`));
    }
    const callId = this.nextId++;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.calls.delete(callId);
        reject(new Error(`${name} did not answer`));
      }, timeoutMs);
      this.calls.set(callId, { resolve: resolve as (value: unknown) => void, reject, timer });
      this.send(encodeCall(service.id, callId, request));
    });
  }

  private settle(callId: number): PendingCall | undefined {
    const call = this.calls.get(callId);
    if (call !== undefined) {
      clearTimeout(call.timer);
      this.calls.delete(callId);
    }
    return call;
  }

  // ---- parameters ----

  /** Values now, and whenever they change, by onParameters. */
  watch(names: string[]): void {
    names.forEach((name) => this.watched.add(name));
    this.sendJson({ op: "subscribeParameterUpdates", parameterNames: names });
    this.sendJson({ op: "getParameters", parameterNames: names });
  }

  set(name: string, value: unknown): boolean {
    return this.sendJson({ op: "setParameters", parameters: [{ name, value }] });
  }
}
