// Points: poses of the library that the user chooses, in the order in which the tool shall pass them.
import type { Cockpit } from "../system/cockpit";
import { freeName } from "../system/collision";
import { path } from "../system/components";
import { isPose, isStated, type Movements } from "../system/movements";
import { Signal } from "../system/signal";
import type { Target, ToolMove } from "./tool_move";

interface PoseAnswer {
  name: string[];
  position: ArrayLike<number>;
}

export class Points {
  /** Names in the order of the motion. */
  chosen: string[] = [];
  readonly onChange = new Signal();

  constructor(
    private readonly cockpit: Cockpit,
    readonly movements: Movements,
    private readonly move: ToolMove,
  ) {
    movements.onChange.on(() => {
      this.chosen = this.chosen.filter((name) => this.names.includes(name));
      this.onChange.emit();
    });
  }

  get names(): string[] {
    return this.movements.list.filter(isPose).map(({ name }) => name);
  }

  /** A point that is stated with the robot is removed where it is stated. */
  isRemovable(name: string): boolean {
    return !this.movements.list.some((pose) => pose.name === name && isStated(pose));
  }

  /** The next free name: p1, p2 … */
  get nextName(): string {
    return freeName(
      "p",
      this.movements.list.map(({ name }) => name),
    );
  }

  toggle(name: string): void {
    this.chosen = this.chosen.includes(name)
      ? this.chosen.filter((other) => other !== name)
      : [...this.chosen, name];
    this.onChange.emit();
  }

  save(name: string): Promise<boolean> {
    return this.movements.savePose(name);
  }

  remove(name: string): Promise<boolean> {
    return this.movements.removePose(name);
  }

  /** Joints that a point does not name stay where they are. */
  private async target(name: string): Promise<Target> {
    const { movements } = this.cockpit.roles;
    const joints = this.move.tools.current?.joints ?? [];
    const answer = await this.cockpit.client.call<PoseAnswer>(path(movements!, "getPose"), {
      name,
    });
    const positions = joints.map((joint) => {
      const at = answer.name.indexOf(joint);
      return (at < 0 ? undefined : answer.position[at]) ?? this.cockpit.desired.positionOf(joint);
    });
    return { joints: positions.map((position) => position ?? 0) };
  }

  /** Show the motion through the chosen points. @return false if a point cannot be read */
  async show(): Promise<boolean> {
    try {
      const targets = await Promise.all(this.chosen.map((name) => this.target(name)));
      this.move.close();
      this.move.show(targets);
      return true;
    } catch (error) {
      this.cockpit.onNotice.emit((error as Error).message);
      return false;
    }
  }
}
