// Targets of the sliders. A slider that is not being moved shows the commanded position, so several browsers
// agree; one that is moved keeps its target until the joint reaches it.
import type { Cockpit } from "./cockpit";
import { path } from "./components";
import type { JointState } from "./messages";

const ADOPTION_MS = 300; // after the last request to adopt a pose
const HAND_OVER_MS = 3000; // requests that follow each other within this time belong to one hand-over
const REACHED = 1e-3; // rad or m
const HOLD_MS = 400; // keep a target at least this long, to bridge the round trip

interface Target {
  value: number;
  sinceMs: number;
}

export class Sliders {
  private readonly targets = new Map<string, Target>();
  private readonly fresh = new Set<string>();
  private readonly ours = new Set<string>();
  private adoptedMs = -Infinity; // last request to adopt a pose
  private handOverMs = -Infinity; // begin of the hand-over that it belongs to

  constructor(
    private readonly cockpit: Cockpit,
    private readonly now: () => number = () => performance.now(),
  ) {
    cockpit.onReset.on((message) => this.adopt(message));
    cockpit.onOwners.on(() => this.updateOwned());
    cockpit.onPose.on(() => this.forgetReached());
  }

  /** The controller has just got limbs and reports its pose, several times: discard earlier targets. A target that
   *  the user has set since then is sent again; a slow page gets some of the requests late. */
  private adopt(message: JointState): void {
    this.noteAdoption();
    for (const name of message.name) {
      const target = this.targets.get(name);
      if (target === undefined || target.sinceMs <= this.handOverMs) {
        this.targets.delete(name);
        this.fresh.delete(name);
      } else {
        this.fresh.add(name);
      }
    }
  }

  private noteAdoption(): void {
    const now = this.now();
    if (now - this.adoptedMs > HAND_OVER_MS) {
      this.handOverMs = now;
    }
    this.adoptedMs = now;
  }

  get isAdopting(): boolean {
    return this.now() - this.adoptedMs < ADOPTION_MS;
  }

  mayMove(limb: string): boolean {
    const { sliders } = this.cockpit.roles;
    return (
      sliders !== undefined &&
      this.cockpit.mayChange &&
      this.cockpit.client.state === "open" &&
      this.cockpit.ownerOf(limb) === sliders.name
    );
  }

  /** The position that a slider shows. */
  value(joint: string): number | undefined {
    return this.targets.get(joint)?.value ?? this.cockpit.desired.positionOf(joint);
  }

  isMoving(joint: string): boolean {
    return this.targets.has(joint);
  }

  /** @return false if the joint cannot be moved now */
  set(limb: string, joint: string, value: number): boolean {
    if (!this.mayMove(limb) || this.isAdopting || !Number.isFinite(value)) {
      return false;
    }
    this.targets.set(joint, { value, sinceMs: this.now() });
    this.fresh.add(joint);
    return true;
  }

  /** Send only joints that were set since the last call; other clients may move the others. Nothing is sent while a
   *  pose is adopted. */
  flush(): void {
    const { sliders } = this.cockpit.roles;
    if (this.isAdopting) {
      return;
    }
    const names = [...this.fresh];
    this.fresh.clear();
    if (names.length > 0 && sliders !== undefined) {
      const position = names.map((name) => this.targets.get(name)!.value);
      this.cockpit.client.publish(path(sliders, "in_joints_ref"), { name: names, position });
    }
  }

  private forgetReached(): void {
    for (const [joint, target] of this.targets) {
      const away = Math.abs((this.cockpit.desired.positionOf(joint) ?? NaN) - target.value);
      if (away < REACHED && this.now() - target.sinceMs > HOLD_MS) {
        this.targets.delete(joint);
      }
    }
  }

  /** A limb that has just been taken has a pose to adopt, which may arrive a little later. */
  private updateOwned(): void {
    for (const limb of this.cockpit.limbs) {
      if (!this.mayMove(limb.name)) {
        this.ours.delete(limb.name);
        limb.joints.forEach((joint) => {
          this.targets.delete(joint);
          this.fresh.delete(joint);
        });
      } else if (!this.ours.has(limb.name)) {
        this.ours.add(limb.name);
        this.noteAdoption();
      }
    }
  }
}
