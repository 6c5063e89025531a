// Turns the head to a point that the user drags. The controller keeps looking there afterwards.
import { path, propertyOf } from "./components";
import type { Cockpit } from "./cockpit";
import { outer, plus } from "./geometry";
import type { Point } from "./messages";

const PERIOD_MS = 50;
const AFTER_TICKS = 10; // the point is sent this often after the release: a new channel may lose the first ones

/** The limb that looks; "" if there is none. */
export function headOf({ roles, tips }: Cockpit): string {
  const listed = propertyOf(roles.look, "controlled_chains");
  const names = [...(Array.isArray(listed) ? (listed as string[]) : []), "head"];
  return roles.look === undefined ? "" : (names.find((name) => tips.has(name)) ?? "");
}

export class Gaze {
  /** The point in the frame of the base. */
  point: Point | undefined;
  isHeld = false;
  /** How far ahead of the head the point is at first, m. */
  distance = 0.5;
  onChange: () => void = () => undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private isTaken = false;
  private left = AFTER_TICKS; // messages to send

  constructor(private readonly cockpit: Cockpit) {}

  get isPossible(): boolean {
    return this.cockpit.roles.look !== undefined && this.cockpit.mayChange && this.head !== "";
  }

  private get head(): string {
    return headOf(this.cockpit);
  }

  /** Where the handle is: at the point, else ahead of the head. */
  get place(): Point | undefined {
    const tip = this.cockpit.tips.get(this.head);
    return this.point ?? (tip && outer(tip, { x: this.distance, y: 0, z: 0 }));
  }

  begin(): boolean {
    const { look } = this.cockpit.roles;
    const { place } = this;
    if (!this.isPossible || look === undefined || place === undefined) {
      return false;
    }
    this.point = place;
    this.isHeld = true;
    this.left = AFTER_TICKS;
    this.isTaken = this.cockpit.ownedBy(look.name).length > 0;
    if (!this.isTaken) {
      const request = { operational: true, resources: [] };
      void this.cockpit.do(look, "setOperational", request).then((isGranted) => {
        this.isTaken = isGranted;
        if (!isGranted) {
          this.stop();
          this.point = undefined;
        }
      });
    }
    this.timer ??= setInterval(() => this.tick(), PERIOD_MS);
    this.onChange();
    return true;
  }

  move(point: Point): void {
    this.point = point;
    this.onChange();
  }

  nudge(by: Point): void {
    if (this.timer === undefined && !this.begin()) {
      return;
    }
    this.point = plus(this.point!, by);
    this.left = AFTER_TICKS;
    this.isHeld = false;
    this.onChange();
  }

  letGo(): void {
    this.isHeld = false;
    this.onChange();
  }

  /** Another controller has the head: the handle goes back to it. */
  check(): void {
    const { look } = this.cockpit.roles;
    if (!this.isHeld && this.timer === undefined && this.point !== undefined) {
      if (look === undefined || this.cockpit.ownedBy(look.name).length === 0) {
        this.point = undefined;
        this.onChange();
      }
    }
  }

  private tick(): void {
    const { look } = this.cockpit.roles;
    if (look === undefined) {
      this.stop();
    } else if (this.isTaken && this.point !== undefined) {
      this.cockpit.client.publish(path(look, "in_point_ref"), { point: this.point });
      if (!this.isHeld && --this.left <= 0) {
        this.stop(); // the controller has the last point
      }
    }
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.isHeld = false;
  }
}
