// Moves a tool to targets that the user chooses: shows what the motion would be before it is made.
import type { Cockpit } from "../system/cockpit";
import { copyOf, ORIGIN } from "../system/geometry";
import { failureOf, type GoalAnswer, Goals } from "../system/goals";
import { Latest } from "../system/latest";
import type { Pose } from "../system/messages";
import { Signal } from "../system/signal";
import type { Tools } from "./tools";

/** In joint space, or on a line. */
export type Kind = "ptp" | "lin";

/** Where the tool shall go: a pose in the first link of its chain, or positions of the chain's joints. */
export type Target = { pose: Pose } | { joints: number[] };

/** A motion before it is made: positions of joints, pose after pose. */
export interface Preview {
  joints: string[];
  poses: number[][];
  duration: number;
  /** Why the targets cannot be reached; the motion ends as near as possible then. */
  reason: string;
  /** It is the motion itself, up to where links would touch; else it leads elsewhere, in joint space. */
  isUntilContact: boolean;
}

interface PreviewAnswer extends GoalAnswer {
  duration?: number;
  joints?: string[];
  positions?: ArrayLike<number> & Iterable<number>;
  until_contact?: boolean;
}

export function readPreview(answer: PreviewAnswer): Preview | undefined {
  const { joints = [], positions = [], duration = 0, until_contact = false } = answer;
  const all = Array.from(positions);
  const poses: number[][] = [];
  for (let at = 0; joints.length > 0 && at + joints.length <= all.length; at += joints.length) {
    poses.push(all.slice(at, at + joints.length));
  }
  const reason = failureOf(answer);
  return poses.length === 0
    ? undefined
    : { joints, poses, duration, reason, isUntilContact: until_contact };
}

export class ToolMove {
  /** The pose of the gizmo; undefined: it is not shown. */
  goal: Pose | undefined;
  /** What is shown or executed; none: the user has not chosen any. */
  targets: Target[] = [];
  preview: Preview | undefined;
  /** Why there is no motion, or why it ended early. */
  failure = "";
  isMoving = false;
  kind: Kind = "lin";
  /** Share of the full speed, above 0, up to 1. */
  speed = 0.5;
  readonly onChange = new Signal();
  private readonly goals: Goals;
  private readonly question = new Latest(() => this.replan());

  constructor(
    private readonly cockpit: Cockpit,
    readonly tools: Tools,
  ) {
    this.goals = new Goals(cockpit, () => tools.current?.mover);
    cockpit.onConnection.on(() => {
      if (cockpit.client.state !== "open") {
        this.close();
      }
    });
    cockpit.onStop.on(() => {
      if (cockpit.stop?.stopped && this.isMoving) {
        void this.goals.cancel(); // nothing goes on after the stop
      }
      this.onChange.emit();
    });
    tools.onChange.on(() => this.close());
  }

  get isPossible(): boolean {
    const { mayChange, client, stop } = this.cockpit;
    const isRunning = this.tools.current?.mover?.state === "running";
    return isRunning && mayChange && client.state === "open" && stop?.stopped !== true;
  }

  get isAsking(): boolean {
    return this.question.isAsking;
  }

  /** The user sees a motion, or chooses one. */
  get isOpen(): boolean {
    return this.goal !== undefined || this.targets.length > 0;
  }

  /** Show the gizmo. @param pose  of the tool now, in the first link */
  open(pose: Pose): void {
    this.close();
    this.goal = copyOf(pose);
    this.onChange.emit();
  }

  close(): void {
    this.goal = this.preview = undefined;
    this.targets = [];
    this.failure = "";
    this.onChange.emit();
  }

  /** The user moved the gizmo. */
  move(pose: Pose): void {
    if (this.goal !== undefined && !this.isMoving) {
      this.goal = copyOf(pose);
      this.show([{ pose: this.goal }]);
    }
  }

  /** Show the motion through these targets. */
  show(targets: Target[]): void {
    this.targets = targets;
    this.failure = "";
    void this.question.ask().then(() => this.onChange.emit());
    this.onChange.emit();
  }

  /** Until the motion that was asked for is known. */
  settled(): Promise<void> {
    return this.question.settled();
  }

  choose(kind: Kind): void {
    this.kind = kind;
    this.refresh();
  }

  setSpeed(share: number): void {
    this.speed = share;
    this.refresh();
  }

  private refresh(): void {
    if (this.targets.length > 0 && !this.isMoving) {
      this.show(this.targets);
    }
    this.onChange.emit();
  }

  private request(targets: Target[], kind = this.kind): object {
    return {
      targets: targets.map((target) => ({ kind, pose: ORIGIN, ...target })),
      speed: this.speed,
    };
  }

  private async replan(): Promise<void> {
    if (this.targets.length === 0) {
      return;
    }
    const answer = await this.goals.call<PreviewAnswer>("planTool", this.request(this.targets));
    if (this.targets.length > 0) {
      this.preview = readPreview(answer);
      this.failure = this.preview === undefined ? failureOf(answer) : "";
      this.onChange.emit();
    }
  }

  /** Why the motion that is shown does not get to its targets; empty: it does. */
  get obstacle(): string {
    return this.preview?.reason ?? "";
  }

  /** The joints where a motion that does not get to its targets ends. */
  private get nearest(): number[] | undefined {
    const { preview, targets } = this;
    // Only on the way to a single target is an earlier pose a target of the same kind.
    const isTarget = preview?.isUntilContact !== true || targets.length === 1;
    return isTarget ? preview?.poses.at(-1) : undefined;
  }

  get canRun(): boolean {
    const isWhole = this.preview !== undefined && this.obstacle === "";
    return !this.isMoving && this.isPossible && (isWhole || this.nearest !== undefined);
  }

  /** Make the motion that is shown; one that cannot reach its targets goes as near as possible. */
  async run(): Promise<void> {
    const { preview, targets, nearest = [] } = this;
    if (this.canRun) {
      const isSameWay = preview?.reason === "" || preview?.isUntilContact;
      const kind = isSameWay ? this.kind : "ptp"; // the way to the nearest pose is ptp
      await this.execute(
        this.request(this.obstacle === "" ? targets : [{ joints: nearest }], kind),
      );
    }
  }

  private async execute(request: object): Promise<void> {
    this.isMoving = true;
    this.onChange.emit();
    const failure = await this.goals.execute("moveTool", request);
    this.isMoving = false;
    if (failure === "") {
      this.close();
    } else {
      this.preview = undefined;
      this.failure = failure;
      this.onChange.emit();
    }
  }

  /** Stop a motion; or choose none. */
  async cancel(): Promise<void> {
    if (this.isMoving) {
      await this.goals.cancel();
    } else {
      this.close();
    }
  }
}
