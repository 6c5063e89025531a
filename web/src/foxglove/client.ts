// A client of the Foxglove WebSocket protocol. Subscriptions outlive connections; calls do not.
import { type Defer, Inbox } from "./inbox";
import { type ConnectionState, ReconnectingSocket, type SocketOptions } from "./socket";
import { Parameters } from "./parameters";
import type { Struct } from "./schema";
import { Services } from "./services";
import { type Handler, Subscriptions } from "./subscriptions";
import {
  decodeBinary,
  encodeMessage,
  encodePlayback,
  type PlaybackRequest,
  type PlaybackState,
  type ServerBinary,
  type ServerText,
  timeNsOf,
} from "./wire";

export const PROTOCOLS = ["foxglove.websocket.v1", "foxglove.sdk.v1"];

export class Client {
  /** Of the last server; kept until the next connection. */
  info: { name: string; sessionId: string; metadata: Record<string, string> } | undefined;
  timeNs = 0n;
  /** The recording that the server plays; undefined: it serves a running robot. */
  recording: { name: string; startNs: bigint; endNs: bigint } | undefined;

  onPlayback: (state: PlaybackState) => void = () => undefined;
  onState: (state: ConnectionState) => void = () => undefined;
  onInfo: () => void = () => undefined;
  onStatus: (level: number, message: string) => void = () => undefined;
  /** The channels or services of the server changed. */
  onAdvertised: () => void = () => undefined;

  private readonly socket: ReconnectingSocket;
  private readonly subscriptions = new Subscriptions((message) => this.sendJson(message));
  private readonly services = new Services((data) => this.socket.send(data));
  private readonly parameters = new Parameters((message) => this.sendJson(message));
  private readonly published = new Map<string, number>();
  private readonly inbox: Inbox;
  private controls = 0;

  /** @param defer  see Inbox */
  constructor(options: SocketOptions, defer: Defer = (call) => call()) {
    this.inbox = new Inbox(
      (data) => this.receive(data),
      (subscription) => this.subscriptions.isOutput(subscription),
      defer,
    );
    this.socket = new ReconnectingSocket(options);
    this.socket.onState = (state) => this.onState(state);
    this.socket.onData = (data) => this.inbox.add(data);
    this.socket.onDrop = () => {
      this.inbox.drop();
      this.published.clear();
      this.subscriptions.drop();
      this.services.drop();
      this.parameters.drop();
    };
  }

  get state(): ConnectionState {
    return this.socket.state;
  }

  start(): void {
    this.socket.start();
  }

  stop(): void {
    this.socket.stop();
  }

  /** Reconnect now instead of waiting for the timer. */
  retryNow(): void {
    this.socket.retryNow();
  }

  /** Topics that the server advertises. */
  get topics(): string[] {
    return this.subscriptions.topics;
  }

  /** The type of a topic; undefined: not advertised, or JSON. */
  typeOf(topic: string): Struct | undefined {
    return this.subscriptions.typeOf(topic);
  }

  /** Applies from now on, whenever the topic exists. @return a function that ends it */
  subscribe<T>(topic: string, handler: Handler<T>): () => void {
    return this.subscriptions.add(topic, handler);
  }

  /** @return false if not connected */
  publish(topic: string, message: unknown): boolean {
    if (this.state !== "open") {
      return false;
    }
    let id = this.published.get(topic);
    if (id === undefined) {
      id = this.published.size + 1;
      this.published.set(topic, id);
      this.sendJson({
        op: "advertise",
        channels: [{ id, topic, encoding: "json", schemaName: "" }],
      });
    }
    return this.socket.send(encodeMessage(id, new TextEncoder().encode(JSON.stringify(message))));
  }

  /** Play, pause or go to a time of the recording. @return false if not connected */
  control(request: PlaybackRequest): boolean {
    this.controls++;
    return this.socket.send(encodePlayback(request, `control ${this.controls}`));
  }

  /** Set a property, `component.property`. @return why it was refused, or "" */
  setParameter(name: string, value: unknown): Promise<string> {
    return this.state === "open"
      ? this.parameters.set(name, value)
      : Promise.resolve("not connected");
  }

  hasService(name: string): boolean {
    return this.services.has(name);
  }

  call<T = unknown>(name: string, request: object = {}, timeoutMs = 15000): Promise<T> {
    if (this.state !== "open") {
      return Promise.reject(new Error("not connected"));
    }
    return this.services.call<T>(name, request, timeoutMs);
  }

  private sendJson(message: object): boolean {
    return this.socket.send(JSON.stringify(message));
  }

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
      case "serverInfo": {
        const { name, sessionId = "", metadata = {} } = message;
        this.info = { name, sessionId, metadata };
        this.takeRange(message);
        this.socket.accept();
        this.onInfo();
        break;
      }
      case "status":
        if (!this.parameters.refuse(message.message)) {
          this.onStatus(message.level, message.message);
        }
        break;
      case "parameterValues":
        this.parameters.answer(message.id ?? "");
        break;
      case "advertise":
        this.subscriptions.advertise(message.channels);
        this.onAdvertised();
        break;
      case "unadvertise":
        this.subscriptions.unadvertise(message.channelIds);
        this.onAdvertised();
        break;
      case "advertiseServices":
        this.services.advertise(message.services);
        this.onAdvertised();
        break;
      case "unadvertiseServices":
        this.services.unadvertise(message.serviceIds);
        this.onAdvertised();
        break;
      case "serviceCallFailure":
        this.services.reject(message.callId, message.message);
        break;
    }
  }

  private takeRange(info: Extract<ServerText, { op: "serverInfo" }>): void {
    const { dataStartTime: start, dataEndTime: end, metadata = {} } = info;
    const isPlayed = info.capabilities.includes("playbackControl");
    this.recording =
      isPlayed && start !== undefined && end !== undefined
        ? {
            name: metadata["recording"] ?? "",
            startNs: timeNsOf(start),
            endNs: timeNsOf(end),
          }
        : undefined;
  }

  private receiveBinary(message: ServerBinary): void {
    switch (message.op) {
      case "time":
        this.timeNs = message.timeNs;
        break;
      case "playback":
        this.timeNs = message.state.timeNs;
        this.onPlayback(message.state);
        break;
      case "response":
        this.services.resolve(message.callId, message.payload);
        break;
      case "message":
        this.subscriptions.receive(message.subscriptionId, message.payload, message.timeNs);
        break;
    }
  }
}
