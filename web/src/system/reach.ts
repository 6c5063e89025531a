// Moves the tip of a limb to the position that the user drags it to: takes the limb for the controller behind
// the inverse kinematics, sends targets in steps that the tip can follow, and gives the limb back.
import { path } from "./components";
import type { Cockpit } from "./cockpit";
import type { Point, Pose } from "./messages";

const PERIOD_MS = 33;
const PATIENCE_MS = 1500; // after the release: a target not reached by then is given up
const NUDGE_PATIENCE_MS = 3000;
const CLOSE = 0.002; // m
const STILL = 1e-4; // m in a tick
const STILL_TICKS = 5;

export interface Grip {
  chain: string;
  /** Target of the tip in the root frame, m. */
  goal: Point;
  orientation: Pose["orientation"];
  isHeld: boolean;
  /** The controller owns the limb. Timeouts start then. */
  isTaken: boolean;
  endMs: number;
}

const minus = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y, z: a.z - b.z });
const length = (a: Point): number => Math.hypot(a.x, a.y, a.z);

/** A point on the line between the two, at most `step` from the first. */
export function lead(from: Point, to: Point, step: number): Point {
  const way = minus(to, from);
  const part = Math.min(1, step / Math.max(length(way), 1e-9));
  return { x: from.x + part * way.x, y: from.y + part * way.y, z: from.z + part * way.z };
}

/** Adapts the length of steps. Near a stretched limb a small step of the tip needs a large motion of the
 *  joints, which inverse kinematics rejects. Steps get shorter while the tip does not move, and longer
 *  while it follows. */
export class Stride {
  length: number;
  private stillTicks = 0;

  constructor(public longest: number) {
    this.length = longest;
  }

  restart(): void {
    this.length = this.longest;
    this.stillTicks = 0;
  }

  /** @param moved  distance of the tip since the last call, m */
  tick(moved: number): number {
    if (moved > STILL) {
      this.stillTicks = 0;
      this.length = Math.min(this.longest, 1.1 * this.length);
    } else if (++this.stillTicks >= STILL_TICKS) {
      this.stillTicks = 0;
      this.length = Math.max(this.longest / 32, this.length / 2);
    }
    return this.length;
  }
}

export class Reach {
  grip: Grip | undefined;
  onChange: () => void = () => undefined;
  private timer: ReturnType<typeof setInterval> | undefined;

  /** The view sets its longest step to a fraction of the robot's size. */
  readonly stride = new Stride(0.03);
  private last: Point = { x: 0, y: 0, z: 0 };

  constructor(private readonly cockpit: Cockpit) {}

  get isPossible(): boolean {
    const { inverse, reach } = this.cockpit.roles;
    return inverse !== undefined && reach !== undefined && this.cockpit.mayChange;
  }

  chains(): string[] {
    return this.isPossible ? [...this.cockpit.tips.keys()] : [];
  }

  /** @return false if the tip does not exist or no controller can move it */
  begin(chain: string): boolean {
    const tip = this.cockpit.tips.get(chain);
    const reach = this.cockpit.roles.reach;
    if (!this.isPossible || tip === undefined || reach === undefined) {
      return false;
    }
    const { x, y, z } = tip.position;
    const isSame = this.grip?.chain === chain;
    const isTaken = isSame && this.grip!.isTaken;
    const grip: Grip = {
      chain,
      goal: { x, y, z },
      orientation: { ...tip.orientation },
      isHeld: true,
      isTaken,
      endMs: 0,
    };
    this.grip = grip;
    if (!isSame) {
      this.stride.restart();
      const joints = this.cockpit.chains.find((limb) => limb.name === chain)?.joints;
      const request = { operational: true, resources: joints ?? [chain] };
      void this.cockpit.do(reach, "setOperational", request).then((isGranted) => {
        if (this.grip?.chain !== chain) {
          return;
        }
        this.grip.isTaken = isGranted;
        this.grip.endMs = Date.now() + NUDGE_PATIENCE_MS;
        if (!isGranted) {
          this.forget();
        }
      });
    }
    this.timer ??= setInterval(() => this.tick(), PERIOD_MS);
    this.onChange();
    return true;
  }

  move(goal: Point): void {
    if (this.grip !== undefined) {
      this.grip.goal = goal;
      this.onChange();
    }
  }

  /** One step with the keyboard. */
  nudge(chain: string, by: Point): void {
    if (this.grip?.chain !== chain && !this.begin(chain)) {
      return;
    }
    const grip = this.grip!;
    grip.goal = { x: grip.goal.x + by.x, y: grip.goal.y + by.y, z: grip.goal.z + by.z };
    grip.isHeld = false;
    grip.endMs = Date.now() + NUDGE_PATIENCE_MS;
    this.onChange();
  }

  /** The user releases the tip; it still moves to the target. */
  letGo(): void {
    if (this.grip?.isHeld) {
      this.grip.isHeld = false;
      this.grip.endMs = Date.now() + PATIENCE_MS;
      this.onChange();
    }
  }

  /** Distance of the tip from its target, m. */
  distance(): number {
    const tip = this.grip && this.cockpit.tips.get(this.grip.chain);
    return tip === undefined ? 0 : length(minus(this.grip!.goal, tip.position));
  }

  private tick(): void {
    const grip = this.grip;
    const tip = grip && this.cockpit.tips.get(grip.chain);
    const inverse = this.cockpit.roles.inverse;
    if (grip === undefined || tip === undefined || inverse === undefined) {
      this.forget();
      return;
    }
    if (!grip.isTaken) {
      return;
    }
    const isNear = this.distance() < CLOSE && Date.now() > grip.endMs - PATIENCE_MS + 300;
    if (!grip.isHeld && (isNear || Date.now() > grip.endMs)) {
      this.giveBack();
      return;
    }
    // Each message has a new position object; without a new message it is unknown whether the tip follows.
    if (tip.position !== this.last) {
      const moved = length(minus(tip.position, this.last));
      this.last = tip.position;
      this.stride.tick(moved);
      if (moved > STILL) {
        grip.endMs = Math.max(grip.endMs, Date.now() + PATIENCE_MS); // still moving
      }
    }
    const position = lead(tip.position, grip.goal, this.stride.length);
    this.cockpit.client.publish(path(inverse, "limbs_ref"), {
      name: [grip.chain],
      pose: [{ position, orientation: grip.orientation }],
    });
  }

  private giveBack(): void {
    this.forget();
    const reach = this.cockpit.roles.reach;
    if (reach !== undefined) {
      void this.cockpit.do(reach, "setOperational", { operational: false, resources: [] });
    }
  }

  private forget(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.grip = undefined;
    this.onChange();
  }
}
