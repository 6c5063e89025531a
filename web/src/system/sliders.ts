// What the sliders want, and when they may want something. A joint that nobody moves here shows what
// is commanded, so several browsers agree; one that is moved keeps its target until it is reached.
import type { Cockpit } from "./cockpit";
import { path } from "./components";
import type { JointState } from "./messages";

const ADOPTION_MS = 300; // after the last message that asks to adopt a pose
const REACHED = 1e-3; // rad or m
const HOLD_MS = 400; // a target stays at least so long: the answer has to come round

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
    cockpit.onOwners.on(() => this.heedOwners());
    cockpit.onPose.on(() => this.forgetReached());
  }

  /** The controller has just been given limbs and tells its pose: what was wanted before is void. */
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

  /** What a slider shows. */
  value(joint: string): number | undefined {
    return this.targets.get(joint)?.value ?? this.cockpit.desired.positionOf(joint);
  }

  isMoving(joint: string): boolean {
    return this.targets.has(joint);
  }

  /** @return false if it is not for us to move now */
  set(limb: string, joint: string, value: number): boolean {
    if (!this.mayMove(limb) || this.isAdopting || !Number.isFinite(value)) {
      return false;
    }
    this.targets.set(joint, { value, sinceMs: this.now() });
    this.fresh.add(joint);
    return true;
  }

  /** Send what was set since the last time: only those joints, the others are somebody else's. */
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

  /** A limb that has just become ours has a pose to adopt, which may come a little later. */
  private heedOwners(): void {
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
