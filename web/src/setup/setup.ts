// The property file of the robot as it is edited: its text, and what the robot has to choose from.
import type { Cockpit } from "../system/cockpit";
import { hasOperation, path, propertyOf } from "../system/components";
import type { LimbsAnswer } from "../system/limbs";
import type { Outcome } from "../system/messages";
import { Signal } from "../system/signal";
import {
  declareLimbs,
  type LimbEntry,
  placeOf,
  type Properties,
  readProperties,
  setContact,
} from "./properties";
import { Tree, type TreeAnswer } from "./tree";

interface PointsAnswer {
  points: { x: number; y: number; z: number }[];
}

const NOTHING: Properties = { limbs: [], contacts: [], poses: new Map(), limits: new Map() };

export class Setup {
  /** As it is in the file. */
  saved = "";
  text = "";
  /** What the text says; as long as it cannot be read, what it said before. */
  properties: Properties = NOTHING;
  /** Why the forms cannot show the text. */
  unreadable = "";
  /** Why there is nothing to edit. */
  missing = "";
  /** Why it was not saved, and the section and entry of the text that the reason is about. */
  refusal = "";
  refusedAt: string[] = [];
  /** It was saved, and the program has not been started again since. */
  waitsForRestart = false;
  tree: Tree | undefined;
  /** Limbs and contacts of the robot that runs. */
  found: LimbEntry[] = [];
  readonly contacts = new Map<string, number[][]>();
  readonly onChange = new Signal();
  private session: string | undefined;

  constructor(readonly cockpit: Cockpit) {}

  /** Not for a recording: the file may be that of a robot that has changed since. */
  get isPossible(): boolean {
    const { robotModel } = this.cockpit.roles;
    const isPlayed = this.cockpit.client.recording !== undefined;
    return !isPlayed && robotModel !== undefined && hasOperation(robotModel, "saveProperties");
  }

  get file(): string {
    const { robotModel } = this.cockpit.roles;
    return String((robotModel && propertyOf(robotModel, "robot_property_file")) || "");
  }

  get isChanged(): boolean {
    return this.text !== this.saved;
  }

  get limbs(): LimbEntry[] {
    return this.properties.limbs ?? this.found;
  }

  private ask<T>(operation: string, request: object = {}): Promise<T> {
    return this.cockpit.client.call<T>(path(this.cockpit.roles.robotModel!, operation), request);
  }

  /** Read the file and the robot, unless there are changes that would be lost. */
  async load(): Promise<void> {
    const session = this.cockpit.client.info?.sessionId;
    const isReady =
      this.isPossible &&
      this.cockpit.client.hasService(path(this.cockpit.roles.robotModel!, "getProperties"));
    if (!isReady || (this.isChanged && session === this.session)) {
      return;
    }
    try {
      const [file, tree] = await Promise.all([
        this.ask<{ text: string }>("getProperties"),
        this.ask<TreeAnswer>("getTree"),
      ]);
      this.tree = new Tree(tree);
      await this.findLimbs();
      this.missing = "";
      this.waitsForRestart = this.waitsForRestart && session === this.session;
      this.session = session;
      if (!this.isChanged) {
        this.saved = file.text;
        this.setText(file.text);
      }
    } catch (error) {
      this.missing = (error as Error).message;
    }
    this.onChange.emit();
  }

  private async findLimbs(): Promise<void> {
    const { chains, contacts } = await this.ask<LimbsAnswer>("listLimbs");
    const ends = await Promise.all(
      chains.map((name) => this.ask<{ links: string[] }>("getChain", { name })),
    );
    this.found = chains.map((name, i) => ({
      name,
      first: ends[i]!.links[0] ?? "",
      last: ends[i]!.links.at(-1) ?? "",
      contact: contacts[i] ?? "",
    }));
    const { names } = await this.ask<{ names: string[] }>("listContacts");
    for (const name of names) {
      const { points } = await this.ask<PointsAnswer>("getContactPoints", { name });
      this.contacts.set(
        name,
        points.map(({ x, y, z }) => [x, y, z]),
      );
    }
  }

  setText(text: string): void {
    this.text = text;
    this.refusal = "";
    this.refusedAt = [];
    try {
      this.properties = readProperties(text);
      this.unreadable = "";
    } catch (error) {
      this.unreadable = (error as Error).message;
    }
    this.onChange.emit();
  }

  revert(): void {
    this.setText(this.saved);
  }

  /** Change the text, if the change is possible. */
  edit(change: (text: string) => string): void {
    try {
      this.setText(change(this.text));
    } catch (error) {
      this.unreadable = (error as Error).message;
      this.onChange.emit();
    }
  }

  /** Change limbs. A file that states none gets those that were found first, with their contacts: stated
   *  limbs replace all that the program finds itself. */
  editLimbs(change: (text: string) => string): void {
    this.edit((text) => change(this.properties.limbs === undefined ? this.declared(text) : text));
  }

  private declared(text: string): string {
    const known = this.properties.contacts;
    const used = new Set(this.found.map(({ contact }) => contact).filter((name) => name !== ""));
    const missing = [...used].filter((name) => !known.includes(name));
    return missing.reduce(
      (now, name) => setContact(now, name, this.contacts.get(name) ?? [[0, 0, 0]]),
      declareLimbs(text, this.found),
    );
  }

  async save(): Promise<void> {
    const { text } = this;
    this.refusal = await this.send(text);
    const line = /:(\d+)(?::\d+)?: /.exec(this.refusal)?.[1];
    this.refusedAt = line === undefined ? [] : this.placeOf(text, Number(line));
    if (this.refusal === "") {
      this.saved = text;
      this.waitsForRestart = true;
    }
    this.onChange.emit();
  }

  private placeOf(text: string, line: number): string[] {
    try {
      return placeOf(text, line);
    } catch {
      return [];
    }
  }

  /** @return why it failed; empty if it is saved */
  private async send(text: string): Promise<string> {
    try {
      const now = await this.ask<{ text: string }>("getProperties");
      if (now.text !== this.saved) {
        return "The file was changed by somebody else: copy your text, undo the changes and begin again.";
      }
      const outcome = await this.ask<Outcome>("saveProperties", { text });
      return outcome.success ? "" : outcome.message || "it was refused";
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** The present pose of all joints, a little rounded but within their limits. */
  get presentPose(): Map<string, number> {
    const { cockpit } = this;
    return new Map(
      cockpit.joints.map((joint) => {
        const { lower, upper, isBounded } = cockpit.limitsOf(joint);
        const at = Math.round((cockpit.desired.positionOf(joint) ?? 0) * 1e4) / 1e4 || 0;
        return [joint, isBounded ? Math.min(upper, Math.max(lower, at)) : at];
      }),
    );
  }

  /** A point of the library of movements. */
  async point(name: string): Promise<Map<string, number>> {
    const answer = await this.cockpit.client.call<{ name: string[]; position: ArrayLike<number> }>(
      path(this.cockpit.roles.movements!, "getPose"),
      { name },
    );
    return new Map(answer.name.map((joint, i) => [joint, answer.position[i] ?? 0]));
  }
}
