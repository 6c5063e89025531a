// Lets the head follow a point that the view gives: the pointer, or the camera. It takes the head only from the
// controller that holds it, never from one that a person uses.
import type { Cockpit } from "./cockpit";
import { holdsLimbs, path } from "./components";
import { headOf } from "./gaze";
import { length, minus } from "./geometry";
import type { Point } from "./messages";

const PERIOD_MS = 50; // between messages, at least
const REPEAT_MS = 1000; // a point that stays is sent this often: the first message may get lost
const MOVED = 0.005; // m

export class Watch {
  private lastMs = -Infinity;
  private last: Point = { x: 0, y: 0, z: 0 };
  private isAsking = false;

  constructor(
    private readonly cockpit: Cockpit,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The limb that looks; "" if there is none. */
  get head(): string {
    return headOf(this.cockpit);
  }

  get isPossible(): boolean {
    const { mayChange, stop, fall } = this.cockpit;
    return this.head !== "" && mayChange && stop?.stopped !== true && fall?.fallen !== true;
  }

  private get isOurs(): boolean {
    return this.cockpit.ownerOf(this.head) === this.cockpit.roles.look?.name;
  }

  private get isFree(): boolean {
    const owner = this.cockpit.ownerOf(this.head);
    const controller = this.cockpit.roles.controllers.find(({ name }) => name === owner);
    return controller === undefined || holdsLimbs(controller);
  }

  /** @param point  in the world */
  look(point: Point): void {
    const { look } = this.cockpit.roles;
    const age = this.now() - this.lastMs;
    const isNews = age >= REPEAT_MS || length(minus(point, this.last)) > MOVED;
    if (!this.isPossible || look === undefined || age < PERIOD_MS || !isNews) {
      return;
    }
    this.lastMs = this.now();
    this.last = point;
    if (this.isOurs) {
      this.cockpit.client.publish(path(look, "in_point_ref"), {
        header: { frame_id: "odom" },
        point,
      });
    } else if (this.isFree && !this.isAsking) {
      void this.take();
    }
  }

  private async take(): Promise<void> {
    this.isAsking = true;
    await this.cockpit.do(this.cockpit.roles.look!, "setOperational", {
      operational: true,
      resources: [],
    });
    this.isAsking = false;
  }

  /** Give the head back. */
  end(): void {
    const { look } = this.cockpit.roles;
    if (look !== undefined && this.isOurs) {
      void this.cockpit.do(look, "setOperational", { operational: false, resources: [] });
    }
  }
}
