// Subscriptions to topics by name. They outlive connections: a subscription attaches to its channel
// whenever a server advertises one.
import { type Message, readCdr } from "./cdr";
import { parseSchema, type Struct } from "./schema";
import type { Channel } from "./wire";

export type Handler<T> = (message: T, timeNs: bigint) => void;

interface Subscription {
  topic: string;
  handlers: Set<Handler<never>>;
  id: number;
  channel?: Channel;
  decode?: (payload: Uint8Array) => unknown;
}

function decoderOf(channel: Channel): (payload: Uint8Array) => unknown {
  if (channel.encoding === "json") {
    const text = new TextDecoder();
    return (payload) => JSON.parse(text.decode(payload)) as unknown;
  }
  if (channel.encoding === "cdr") {
    const type: Struct = parseSchema(channel.schemaName, channel.schema);
    return (payload): Message => readCdr(type, payload);
  }
  throw new Error(`${channel.topic}: unknown encoding '${channel.encoding}'`);
}

export class Subscriptions {
  private readonly channels = new Map<string, Channel>();
  private readonly byTopic = new Map<string, Subscription>();
  private readonly byId = new Map<number, Subscription>();
  private nextId = 1;

  constructor(private readonly sendJson: (message: object) => boolean) {}

  /** Topics that the server advertises. */
  get topics(): string[] {
    return [...this.channels.keys()];
  }

  /** The type of a topic; undefined: not advertised, or JSON. */
  typeOf(topic: string): Struct | undefined {
    const channel = this.channels.get(topic);
    return channel?.encoding === "cdr"
      ? parseSchema(channel.schemaName, channel.schema)
      : undefined;
  }

  /** Applies from now on, whenever the topic exists. @return a function that ends it */
  add<T>(topic: string, handler: Handler<T>): () => void {
    let subscription = this.byTopic.get(topic);
    if (subscription === undefined) {
      subscription = { topic, handlers: new Set(), id: this.nextId++ };
      this.byTopic.set(topic, subscription);
    }
    subscription.handlers.add(handler as Handler<never>);
    this.attach();
    return () => this.remove(topic, handler);
  }

  private remove<T>(topic: string, handler: Handler<T>): void {
    const subscription = this.byTopic.get(topic);
    if (subscription === undefined) {
      return;
    }
    subscription.handlers.delete(handler as Handler<never>);
    if (subscription.handlers.size === 0) {
      this.byTopic.delete(topic);
      if (subscription.channel !== undefined) {
        this.byId.delete(subscription.id);
        this.sendJson({ op: "unsubscribe", subscriptionIds: [subscription.id] });
      }
    }
  }

  /** The server advertises channels. */
  advertise(channels: Channel[]): void {
    for (const channel of channels) {
      this.channels.set(channel.topic, channel);
    }
    this.attach();
  }

  /** Channels exist only while there is a connection. */
  private attach(): void {
    const wanted: { id: number; channelId: number }[] = [];
    for (const subscription of this.byTopic.values()) {
      const channel = this.channels.get(subscription.topic);
      if (channel === undefined || subscription.channel !== undefined) {
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

  unadvertise(channelIds: number[]): void {
    for (const [topic, channel] of this.channels) {
      if (channelIds.includes(channel.id)) {
        this.channels.delete(topic);
        const subscription = this.byTopic.get(topic);
        if (subscription !== undefined) {
          this.byId.delete(subscription.id);
          delete subscription.channel;
          subscription.id = this.nextId++; // messages with the old one may still arrive
        }
      }
    }
  }

  /** Whether it is the output of a component. Of what the server itself publishes, such as the log, each message counts. */
  isOutput(id: number): boolean {
    return this.byId.get(id)?.topic.startsWith("/sinew/") === false;
  }

  receive(id: number, payload: Uint8Array, timeNs: bigint): void {
    const subscription = this.byId.get(id);
    const value = subscription?.decode?.(payload);
    for (const handler of subscription?.handlers ?? []) {
      (handler as Handler<unknown>)(value, timeNs);
    }
  }

  /** The connection is lost. */
  drop(): void {
    this.channels.clear();
    this.byId.clear();
    for (const subscription of this.byTopic.values()) {
      delete subscription.channel;
    }
  }
}
