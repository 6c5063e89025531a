// Targets of the sliders. A slider that is not being moved shows the commanded position, so several browsers
// agree; one that is moved keeps its target until the joint reaches it.
import type { Cockpit } from "./cockpit";
import { path } from "./components";
import type { JointState } from "./messages";

const ADOPTION_MS = 300; // after the last request to adopt a pose
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
  private adoptedMs = -Infinity;

  constructor(
    private readonly cockpit: Cockpit,
    private readonly now: () => number = () => performance.now(),
  ) {
    cockpit.onReset.on((message) => this.adopt(message));
    cockpit.onOwners.on(() => this.updateOwned());
    cockpit.onPose.on(() => this.forgetReached());
  }

  /** The controller has just got limbs and reports its pose: discard earlier targets. */
  private adopt(message: JointState): void {
    this.adoptedMs = this.now();
    message.name.forEach((name) => this.targets.delete(name));
    this.fresh.clear();
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

  /** Send only joints that were set since the last call; other clients may move the others. */
  flush(): void {
    const { sliders } = this.cockpit.roles;
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
        limb.joints.forEach((joint) => this.targets.delete(joint));
      } else if (!this.ours.has(limb.name)) {
        this.ours.add(limb.name);
        this.adoptedMs = this.now();
      }
    }
  }
}
