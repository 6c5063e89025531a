// Sends the robot to a place on the ground that the user chooses: plans the steps whenever the place changes, and
// executes them on request.
import type { Cockpit } from "../system/cockpit";
import { path } from "../system/components";
import { failureOf, Goals } from "../system/goals";
import { Latest } from "../system/latest";
import type { Point, StepGoal } from "../system/messages";
import { footprint, headingOf, type Plan, readPlan, turnTo } from "./plan";
import { Signal } from "../system/signal";

// How many steps a way takes: parts of the height of the base, and rad.
const STRIDE = 0.5;
const TURN = 0.35;
const STEP_S = 0.8;

/** A place to stand: m, and rad about the vertical. */
export interface Place {
  x: number;
  y: number;
  heading: number;
}

export class MoveBase {
  /** undefined: the user does not choose one */
  place: Place | undefined;
  plan: Plan | undefined;
  /** Why there is no plan, or why it was not executed. */
  failure = "";
  isMoving = false;
  isHeld = false;
  gait = "trot";
  readonly onChange = new Signal();
  private readonly goals: Goals;
  private readonly question = new Latest(() => this.replan());
  private unsubscribe: (() => void) | undefined;

  constructor(private readonly cockpit: Cockpit) {
    this.goals = new Goals(cockpit, () => cockpit.roles.moveBase);
    cockpit.onRoles.on(() => this.listen());
    cockpit.onConnection.on(() => {
      if (cockpit.client.state !== "open") {
        this.close();
      }
    });
  }

  get isPossible(): boolean {
    const { roles, mayChange, baseFrom } = this.cockpit;
    return roles.moveBase !== undefined && mayChange && baseFrom !== "" && baseFrom !== "command";
  }

  /** The planner has not answered for this place yet. */
  get isAsking(): boolean {
    return this.question.isAsking;
  }

  /** Height of the base, m. */
  get height(): number {
    return this.cockpit.base.position.z;
  }

  private listen(): void {
    const { moveBase } = this.cockpit.roles;
    this.unsubscribe?.();
    this.unsubscribe =
      moveBase &&
      this.cockpit.client.subscribe<StepGoal>(path(moveBase, "plan"), (goal) => {
        this.plan = this.place && readPlan(goal, this.cockpit.base);
        this.onChange.emit();
      });
  }

  /** The ghost appears where the robot stands. */
  open(): void {
    const { position, orientation } = this.cockpit.base;
    this.failure = "";
    this.plan = undefined;
    this.place = { x: position.x, y: position.y, heading: headingOf(orientation) };
    this.onChange.emit();
  }

  close(): void {
    this.place = this.plan = undefined;
    this.failure = "";
    this.isHeld = false;
    this.onChange.emit();
  }

  move({ x, y }: { x: number; y: number }): void {
    if (this.place !== undefined && !this.isMoving) {
      this.place = { ...this.place, x, y };
      void this.ask();
    }
  }

  /** The robot shall look from the place to this point. */
  face(point: { x: number; y: number }): void {
    if (this.place !== undefined && !this.isMoving) {
      const heading = Math.atan2(point.y - this.place.y, point.x - this.place.x);
      this.place = { ...this.place, heading };
      void this.ask();
    }
  }

  choose(gait: string): void {
    this.gait = gait;
    if (this.plan !== undefined || this.failure !== "") {
      void this.ask();
    }
  }

  /** The request to the planner. */
  request(place: Place): object {
    const { base, feet } = this.cockpit;
    const from = footprint(base);
    const way = Math.hypot(place.x - from.position.x, place.y - from.position.y);
    const turn = place.heading - headingOf(from.orientation);
    const angle = Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)));
    const n_steps = Math.max(1, Math.ceil(way / (STRIDE * this.height) + angle / TURN));
    const nominal: Point = { x: 0, y: 0, z: 0 };
    return {
      header: { frame_id: "odom" },
      gait_type: this.gait,
      duration: STEP_S * (n_steps + 1),
      n_steps,
      base_goal: {
        position: { x: place.x, y: place.y, z: this.height },
        orientation: turnTo(place.heading),
      },
      ee_goal: feet.map((name) => ({
        name,
        frame_type: 0,
        position: nominal,
        position_bounds: 4,
        contact: true,
      })),
    };
  }

  private async ask(): Promise<void> {
    this.onChange.emit();
    await this.question.ask();
    this.onChange.emit();
  }

  private async replan(): Promise<void> {
    if (this.place !== undefined) {
      const request = { ...this.request(this.place), visualize_only: true };
      this.failure = failureOf(await this.goals.call("plan", request));
      this.plan = this.failure === "" ? this.plan : undefined;
      this.onChange.emit();
    }
  }

  /** Go to the place. */
  async go(): Promise<void> {
    if (this.place === undefined || this.isMoving) {
      return;
    }
    this.isMoving = true;
    this.onChange.emit();
    this.failure = await this.goals.execute("move", this.request(this.place));
    this.isMoving = false;
    if (this.failure === "") {
      this.close();
    } else {
      this.onChange.emit();
    }
  }

  async cancel(): Promise<void> {
    if (this.isMoving) {
      await this.goals.cancel();
    } else {
      this.close();
    }
  }
}
