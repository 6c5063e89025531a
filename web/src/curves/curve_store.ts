// The chosen curves: any number of any topic. The choice is remembered; the last minute of each is kept.
import type { Message } from "../foxglove/cdr";
import type { Cockpit } from "../system/cockpit";
import { Signal } from "../system/signal";
import { jointUnit } from "./field_units";
import { inferType, type Leaf, listFields, reader } from "./fields";
import { Track } from "./track";

const KEY = "sinew.curves";
export const CURVES_MAX = 32;

export interface Curve {
  topic: string;
  path: string;
  track: Track;
  read: (message: Message) => number;
}

/** What the store needs of the page's cockpit. */
export type CurveSource = Pick<Cockpit, "client" | "limitsOf" | "joints">;

function load(storage: Pick<Storage, "getItem">): { topic: string; path: string }[] {
  try {
    const list = JSON.parse(storage.getItem(KEY) ?? "[]") as unknown;
    return (Array.isArray(list) ? list : []).filter(
      (entry): entry is { topic: string; path: string } =>
        typeof (entry as Curve | null)?.topic === "string" &&
        typeof (entry as Curve | null)?.path === "string",
    );
  } catch {
    return []; // not ours
  }
}

export class CurveStore {
  list: Curve[] = [];
  /** Other curves. */
  readonly onChange = new Signal();
  /** New values. */
  readonly onData = new Signal();
  /** The first message of a topic. */
  readonly onTopic = new Signal<string>();
  private readonly latest = new Map<string, Message>();
  private readonly ends = new Map<string, () => void>();
  /** Its fields are to be listed. */
  private topic = "";

  constructor(
    private readonly source: CurveSource,
    private readonly storage: Pick<Storage, "getItem" | "setItem"> = localStorage,
  ) {
    for (const { topic, path } of load(storage)) {
      this.insert(topic, path);
    }
    this.subscribe();
  }

  has(topic: string, path: string): boolean {
    return this.list.some((curve) => curve.topic === topic && curve.path === path);
  }

  private insert(topic: string, path: string): void {
    if (!this.has(topic, path) && this.list.length < CURVES_MAX) {
      this.list.push({ topic, path, track: new Track(), read: reader(path) });
    }
  }

  /** @return false if not all fit */
  add(topic: string, paths: string[]): boolean {
    paths.forEach((path) => this.insert(topic, path));
    this.changed();
    return paths.every((path) => this.has(topic, path));
  }

  remove(curves: readonly Curve[]): void {
    this.list = this.list.filter((curve) => !curves.includes(curve));
    this.changed();
  }

  private changed(): void {
    const chosen = this.list.map(({ topic, path }) => ({ topic, path }));
    this.storage.setItem(KEY, JSON.stringify(chosen));
    this.subscribe();
    this.onChange.emit();
  }

  /** List the fields of this topic from now on. */
  look(topic: string): void {
    this.topic = topic;
    this.subscribe();
  }

  private subscribe(): void {
    const wanted = new Set(this.list.map(({ topic }) => topic));
    if (this.topic !== "") {
      wanted.add(this.topic);
    }
    for (const [topic, end] of this.ends) {
      if (!wanted.has(topic)) {
        end();
        this.ends.delete(topic);
        this.latest.delete(topic);
      }
    }
    for (const topic of wanted) {
      if (!this.ends.has(topic)) {
        const take = (message: Message, timeNs: bigint) => this.take(topic, message, timeNs);
        this.ends.set(topic, this.source.client.subscribe<Message>(topic, take));
      }
    }
  }

  private take(topic: string, message: Message, timeNs: bigint): void {
    const isFirst = !this.latest.has(topic);
    this.latest.set(topic, message);
    const time = Number(timeNs) * 1e-9;
    for (const curve of this.list) {
      if (curve.topic === topic) {
        curve.track.push(time, curve.read(message));
      }
    }
    if (isFirst) {
      this.onTopic.emit(topic);
    }
    this.onData.emit();
  }

  /** The numbers of a topic; none: it is not known, or JSON without a message so far. */
  fieldsOf(topic: string): Leaf[] {
    const message = this.latest.get(topic);
    const type =
      this.source.client.typeOf(topic) ?? (message === undefined ? undefined : inferType(message));
    return type === undefined ? [] : listFields(type, message);
  }

  /** "" if it is unknown. */
  unitOf({ topic, path }: Pick<Curve, "topic" | "path">): string {
    const form = (text: string) => text.replaceAll(/\[[^\]]*\]/g, "[]");
    const unit = this.fieldsOf(topic).find((leaf) => form(leaf.path) === form(path))?.unit ?? "";
    const name = /\[([^\]]*)\]/.exec(path)?.[1] ?? "";
    const isJoint = this.source.joints.includes(name);
    return unit.startsWith("joint") && !isJoint
      ? "" // of something that is not a joint of this robot
      : jointUnit(unit, isJoint && this.source.limitsOf(name).isAngle);
  }

  /** The latest time of all curves, s. */
  get end(): number {
    return Math.max(0, ...this.list.map(({ track }) => track.latestTime));
  }
}
