// Sends the robot to a place on the ground that the user chooses: plans the steps whenever the place changes, and
// executes them on request.
import type { Cockpit } from "./cockpit";
import { path } from "./components";
import type { Point, StepGoal } from "./messages";
import { footprint, headingOf, type Plan, readPlan, turnTo } from "./plan";
import { Signal } from "./signal";

const POLL_MS = 300;
const SUCCEEDED = 4; // of action_msgs/GoalStatus; larger: ended otherwise
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

/** Answers of the planner; `success` of a plan, `accepted` of a request to move, `state` of one that was accepted. */
interface Answer {
  success?: boolean;
  accepted?: boolean;
  goal_id?: number;
  state?: number;
  error_code?: number;
  error_string?: string;
  message?: string;
}

function failureOf(answer: Answer): string {
  const { success = true, accepted = true, state = 0, error_code = 0 } = answer;
  const hasFailed = !success || !accepted || state > SUCCEEDED || error_code !== 0;
  return hasFailed ? answer.error_string || answer.message || `error ${error_code}` : "";
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

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
  private goal = { goal_id: 0 };
  /** The planner has not answered for this place yet. */
  isAsking = false;
  private isStale = false;
  private unsubscribe: (() => void) | undefined;

  constructor(private readonly cockpit: Cockpit) {
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

  /** One question at a time; the last place is always asked for. */
  private async ask(): Promise<void> {
    const { moveBase } = this.cockpit.roles;
    this.isStale = true;
    this.onChange.emit();
    if (this.isAsking || moveBase === undefined) {
      return;
    }
    this.isAsking = true;
    while (this.isStale && this.place !== undefined) {
      this.isStale = false;
      const request = { ...this.request(this.place), visualize_only: true };
      this.failure = failureOf(await this.call("plan", request));
      if (this.failure !== "") {
        this.plan = undefined;
      }
      this.onChange.emit();
    }
    this.isAsking = false;
    this.onChange.emit();
  }

  private async call(operation: string, request: object): Promise<Answer> {
    const { moveBase } = this.cockpit.roles;
    try {
      return await this.cockpit.client.call<Answer>(path(moveBase!, operation), request);
    } catch (error) {
      return { success: false, message: (error as Error).message };
    }
  }

  /** Go to the place. */
  async go(): Promise<void> {
    if (this.place === undefined || this.isMoving) {
      return;
    }
    this.isMoving = true;
    this.onChange.emit();
    let answer = await this.call("move", this.request(this.place));
    this.goal = { goal_id: answer.goal_id ?? 0 };
    while (failureOf(answer) === "" && answer.state !== SUCCEEDED) {
      await pause(POLL_MS);
      answer = await this.call("getGoal", this.goal);
    }
    this.isMoving = false;
    this.failure = failureOf(answer);
    if (this.failure === "") {
      this.close();
    } else {
      this.onChange.emit();
    }
  }

  async cancel(): Promise<void> {
    if (this.isMoving) {
      await this.call("cancel", this.goal);
    } else {
      this.close();
    }
  }
}
