// What the gate knows about collisions: the nearest pair of links, and the objects around the robot. The user can add
// boxes.
import type { Cockpit } from "./cockpit";
import { path } from "./components";
import { inner, ORIGIN } from "./geometry";
import type { CollisionState, Point, Pose, WorldObject, WorldObjectList } from "./messages";
import { Signal } from "./signal";

const SMALLEST = 0.01; // edge of a box, m

/** A box that is being drawn: the middle of its bottom, and its edges along the axes of the root frame, m. */
export interface Box {
  name: string;
  bottom: Point;
  size: Point;
}

/** The first of `stem1`, `stem2`, … that is not taken. */
export function freeName(stem: string, taken: string[]): string {
  let number = 1;
  while (taken.includes(`${stem}${number}`)) {
    number++;
  }
  return `${stem}${number}`;
}

/** The request to add a box. */
export function toObject({ name, bottom, size }: Box): WorldObject {
  return {
    name,
    shape: "box",
    size: [size.x, size.y, size.z],
    points: [],
    pose: {
      position: { ...bottom, z: bottom.z + size.z / 2 },
      orientation: { x: 0, y: 0, z: 0, w: 1 },
    },
  };
}

/** A robot at rest repeats its report: draw only what looks different. Two pairs of a symmetric robot may be equally
 *  near, and the report alternates between them: that makes no difference. */
function looksDifferent(before: CollisionState | undefined, now: CollisionState): boolean {
  return (
    before === undefined ||
    before.enabled !== now.enabled ||
    before.reason !== now.reason ||
    before.off_count !== now.off_count ||
    before.blocked !== now.blocked ||
    before.near !== now.near ||
    Math.abs(before.distance - now.distance) > 1e-5
  );
}

export class Collision {
  /** undefined: the gate has not reported any, or cannot */
  state: CollisionState | undefined;
  objects: WorldObject[] = [];
  /** undefined: the user does not draw one */
  box: Box | undefined;
  isHeld = false;
  /** Why an object was not added or removed. */
  failure = "";
  readonly onChange = new Signal();
  private unsubscribe: (() => void) | undefined;

  constructor(private readonly cockpit: Cockpit) {
    cockpit.onRoles.on(() => this.listen());
    cockpit.onAdvertised.on(() => void this.refresh());
    cockpit.onConnection.on(() => {
      if (cockpit.client.state !== "open") {
        this.state = undefined;
        this.close();
      }
    });
  }

  /** What is not checked; undefined: nothing, or the gate does not report it. */
  get unchecked(): { short: string; long: string } | undefined {
    const { state } = this;
    if (state?.enabled === false) {
      return { short: "not checked", long: `Collisions are not checked: ${state.reason}` };
    }
    const count = state?.off_count ?? 0;
    const pairs = count === 1 ? "1 pair" : `${count} pairs`;
    return count > 0
      ? {
          short: `${pairs} off`,
          long: `${pairs} of shapes switched off: not checked for collisions`,
        }
      : undefined;
  }

  /** Objects are fixed to the world, not to the root link: the gate knows the base. */
  get isInWorld(): boolean {
    const port = this.cockpit.roles.guard?.ports?.find(({ name }) => name === "in_base");
    return (port?.connections.length ?? 0) > 0;
  }

  /** The world in the frame of the robot's root. */
  get world(): Pose {
    const { x, y, z, w } = this.cockpit.base.orientation;
    return this.isInWorld
      ? {
          position: inner(this.cockpit.base, ORIGIN.position),
          orientation: { x: -x, y: -y, z: -z, w },
        }
      : ORIGIN;
  }

  /** Boxes can be drawn. They are drawn about the root link. */
  get isPossible(): boolean {
    const { guard } = this.cockpit.roles;
    const canAdd = guard?.operations.some(({ name }) => name === "addObject") ?? false;
    return canAdd && this.cockpit.mayChange && !this.isInWorld;
  }

  private listen(): void {
    const { guard } = this.cockpit.roles;
    this.unsubscribe?.();
    this.unsubscribe =
      guard &&
      this.cockpit.client.subscribe<CollisionState>(path(guard, "collision"), (state) =>
        this.take(state),
      );
    void this.refresh();
  }

  take(state: CollisionState): void {
    const isNews = looksDifferent(this.state, state);
    if (isNews || (this.state?.link_a === state.link_a && this.state.link_b === state.link_b)) {
      this.state = state;
    }
    if (state.object_count !== this.objects.length) {
      void this.refresh();
    }
    if (isNews) {
      this.onChange.emit();
    }
  }

  /** Ask for the objects. */
  async refresh(): Promise<void> {
    const { guard } = this.cockpit.roles;
    const { client } = this.cockpit;
    if (guard === undefined || !client.hasService(path(guard, "listObjects"))) {
      return;
    }
    try {
      const answer = await client.call<WorldObjectList>(path(guard, "listObjects"), {});
      this.objects = answer.objects;
      this.onChange.emit();
    } catch {
      // No connection, or the gate does not run yet; the next report tries again.
    }
  }

  /** Begin to draw. @param bottom  in the root frame  @param edge  of the box, m */
  open(bottom: Point, edge: number): void {
    this.failure = "";
    this.box = {
      name: freeName(
        "box",
        this.objects.map(({ name }) => name),
      ),
      bottom,
      size: { x: edge, y: edge, z: edge },
    };
    this.onChange.emit();
  }

  close(): void {
    this.box = undefined;
    this.isHeld = false;
    this.failure = "";
    this.onChange.emit();
  }

  move(bottom: Point): void {
    if (this.box !== undefined) {
      this.box = { ...this.box, bottom };
      this.onChange.emit();
    }
  }

  /** A corner of the top shall be here; the bottom stays. */
  stretch(corner: Point): void {
    if (this.box !== undefined) {
      const { bottom } = this.box;
      this.resize({
        x: 2 * Math.abs(corner.x - bottom.x),
        y: 2 * Math.abs(corner.y - bottom.y),
        z: corner.z - bottom.z,
      });
    }
  }

  resize({ x, y, z }: Point): void {
    if (this.box !== undefined) {
      const edge = (value: number) => Math.max(value, SMALLEST);
      this.box = { ...this.box, size: { x: edge(x), y: edge(y), z: edge(z) } };
      this.onChange.emit();
    }
  }

  rename(name: string): void {
    if (this.box !== undefined) {
      this.box = { ...this.box, name };
      this.onChange.emit();
    }
  }

  /** Add the box. */
  async add(): Promise<void> {
    const { guard } = this.cockpit.roles;
    if (this.box === undefined || guard === undefined) {
      return;
    }
    this.failure = await this.cockpit.request(guard, "addObject", toObject(this.box));
    await this.refresh();
    if (this.failure === "") {
      this.close();
    }
    this.onChange.emit();
  }

  async remove(name: string): Promise<void> {
    const { guard } = this.cockpit.roles;
    if (guard !== undefined) {
      this.failure = await this.cockpit.request(guard, "removeObject", { name });
      await this.refresh();
      this.onChange.emit();
    }
  }
}
