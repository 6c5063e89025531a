// Calibration of the servos of a driver, as the person who does it sees it: one step after the other. The driver
// measures; this asks it, and knows which step comes next.
import type { Cockpit } from "../system/cockpit";
import { type ComponentInfo, makesLimp, path, propertyOf } from "../system/components";
import { Signal } from "../system/signal";

const POLL_MS = 200;

export type Step = "idle" | "support" | "zero" | "ends" | "review" | "saved" | "ended";

/** Answer of `getCalibration`; lists are empty unless it runs. */
export interface Readings {
  active: boolean;
  saved: boolean;
  message: string;
  name: string[];
  position: ArrayLike<number>;
  min: ArrayLike<number>;
  max: ArrayLike<number>;
  /** Of each joint: what is missing; empty: it is complete. */
  problem: string[];
}

export class Calibration {
  step: Step = "idle";
  readings: Readings | undefined;
  /** Why the last request was refused, or why the calibration ended. */
  trouble = "";
  /** Joints that turn the other way than the deployment says. */
  readonly reversed = new Set<string>();
  readonly onChange = new Signal();
  private chosen = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly cockpit: Cockpit) {
    cockpit.onRoles.on(() => this.onChange.emit());
    cockpit.onConnection.on(() => this.onChange.emit());
  }

  get drivers(): ComponentInfo[] {
    return this.cockpit.roles.calibrators;
  }

  get driver(): ComponentInfo | undefined {
    return this.drivers.find(({ name }) => name === this.chosen) ?? this.drivers[0];
  }

  /** Where the result is saved; empty: nowhere. */
  get file(): string {
    return String(propertyOf(this.driver, "calibration_file") ?? "");
  }

  get isComplete(): boolean {
    const { readings } = this;
    return readings?.active === true && readings.problem.every((problem) => problem === "");
  }

  choose(name: string): void {
    this.chosen = name;
    this.onChange.emit();
  }

  start(): void {
    this.reversed.clear();
    this.go("support");
  }

  /** Step 1: the servos lose their torque. The driver of a leader has none: no limb is taken for it. */
  async goLimp(): Promise<void> {
    const limp = this.limp;
    const isTaken = limp === undefined || (await this.cockpit.take(limp, this.joints));
    this.trouble = "";
    if (isTaken) {
      this.go("zero");
    }
  }

  /** Step 2: the present pose is position 0, and recording begins. */
  async begin(): Promise<void> {
    if (await this.request("beginCalibration")) {
      this.go("ends");
      await this.poll();
    }
  }

  review(): void {
    this.go("review");
  }

  back(): void {
    this.go("ends");
  }

  reverse(joint: string, isReversed: boolean): void {
    this.reversed[isReversed ? "add" : "delete"](joint);
    this.onChange.emit();
  }

  async save(): Promise<void> {
    if (await this.request("finishCalibration", { names: [...this.reversed] })) {
      this.go("saved");
    }
  }

  /** Nothing is saved, and the arm is held where it is. */
  async cancel(): Promise<void> {
    const isRecording = this.step === "ends" || this.step === "review";
    if (!isRecording || (await this.request("cancelCalibration"))) {
      await this.hold();
    }
  }

  /** The limbs go back to the controller that holds them, where they are. */
  async hold(): Promise<void> {
    const limp = this.limp;
    const limbs = limp === undefined ? [] : this.cockpit.ownedBy(limp.name);
    if (limp === undefined || limbs.length === 0 || (await this.cockpit.release(limp, limbs))) {
      this.trouble = "";
      this.go("idle");
    }
  }

  /** The controller that makes the limbs of this driver limp. */
  private get limp(): ComponentInfo | undefined {
    const { roles } = this.cockpit;
    const isOwn = this.driver?.name === roles.measured?.name;
    return isOwn ? roles.controllers.find(makesLimp) : undefined;
  }

  /** The joints that the driver moves; the arbiter knows their limbs. */
  private get joints(): string[] {
    const servos = (propertyOf(this.driver, "servos") ?? []) as { joint: string }[];
    return servos.map(({ joint }) => joint);
  }

  private go(step: Step): void {
    this.step = step;
    this.onChange.emit();
  }

  private async request(operation: string, request: object = {}): Promise<boolean> {
    const { driver } = this;
    this.trouble =
      driver === undefined
        ? "the driver is gone"
        : await this.cockpit.request(driver, operation, request);
    this.onChange.emit();
    return this.trouble === "";
  }

  /** Repeated requests also show the driver that the page is still open. */
  private async poll(): Promise<void> {
    clearTimeout(this.timer);
    const { driver } = this;
    if (driver === undefined || (this.step !== "ends" && this.step !== "review")) {
      return;
    }
    const readings = await this.cockpit.client
      .call<Readings>(path(driver, "getCalibration"))
      .catch(() => undefined);
    const isStillOpen = this.step === "ends" || this.step === "review";
    if (readings !== undefined && isStillOpen) {
      this.readings = readings;
      this.trouble = readings.active ? this.trouble : readings.message;
      this.step = readings.active ? this.step : "ended";
      this.onChange.emit();
    }
    this.timer = setTimeout(() => void this.poll(), POLL_MS);
  }
}
