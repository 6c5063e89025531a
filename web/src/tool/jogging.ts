// The velocity that the user wants a tool to have, while a key, a button or a stick is held.
import type { Cockpit } from "../system/cockpit";
import { path, propertyOf } from "../system/components";
import { type Axes, HeldCommand } from "../system/held_command";
import type { Header, Pose, Twist } from "../system/messages";
import type { Tools } from "./tools";

/** Along and about the axes of the frame. */
export type JogAxis = "x" | "y" | "z" | "rx" | "ry" | "rz";
export type Jog = Axes<JogAxis>;
export const STILL: Jog = { x: 0, y: 0, z: 0, rx: 0, ry: 0, rz: 0 };

/** Whose axes: those of the first link of the arm, or those of the tool. */
export type JogFrame = "base" | "tool";

/** Used if the controller states none: m/s and rad/s. */
const SPEEDS = { linear_speed: 0.25, angular_speed: 1 };

/** What the controller says while it moves the tool. */
export interface JogState {
  header: Header;
  status: string;
  reason: string;
  joint: string;
  share: number;
  pose: Pose;
}

const REASONS: Record<string, (joint: string) => string> = {
  limit: (joint) => `${joint} is near its limit`,
  speed: (joint) => `${joint} cannot turn faster`,
  singular: () => "near a singular pose of the arm",
  obstacle: () => "links would touch each other or an object",
  refused: () => "the command was refused: see the log",
  lost: () => "another controller took the limb",
};

/** For people; empty while nothing is in the way. */
export function explain({ status, reason, joint }: JogState): string {
  const why = REASONS[reason]?.(joint) ?? "";
  const what = status === "blocked" ? "Stopped" : "Slowed down";
  return why === "" ? "" : `${what}: ${why}`;
}

export class Jogging extends HeldCommand<JogAxis> {
  frame: JogFrame = "base";
  /** Part of the highest speeds, 0 to 1. */
  share = 0.3;
  state: JogState | undefined;
  private unsubscribe: (() => void) | undefined;
  private listened = "";

  constructor(
    private readonly cockpit: Cockpit,
    private readonly tools: Tools,
  ) {
    super(STILL);
    const check = () => this.check();
    cockpit.onStop.on(check);
    cockpit.onRoles.on(check);
    cockpit.onConnection.on(check);
    tools.onChange.on(() => {
      this.release();
      this.listen();
    });
  }

  get isPossible(): boolean {
    const { mayChange, client, stop } = this.cockpit;
    const isRunning = this.tools.current?.jogger?.state === "running";
    return isRunning && mayChange && client.state === "open" && stop?.stopped !== true;
  }

  private listen(): void {
    const jogger = this.tools.current?.jogger;
    const topic = jogger === undefined ? "" : path(jogger, "state");
    if (topic !== this.listened) {
      this.listened = topic;
      this.state = undefined;
      this.unsubscribe?.();
      this.unsubscribe =
        topic === ""
          ? undefined
          : this.cockpit.client.subscribe<JogState>(topic, (state) => {
              this.state = state;
              this.onChange.emit();
            });
    }
  }

  private limit(name: keyof typeof SPEEDS): number {
    const jogger = this.tools.current?.jogger;
    const [value, share] = [propertyOf(jogger, name), propertyOf(jogger, "speed")];
    const full = typeof value === "number" && value > 0 ? value : SPEEDS[name];
    return full * (typeof share === "number" ? share : 1);
  }

  /** Highest speeds with the chosen share, m/s and rad/s. */
  get speeds(): { linear: number; angular: number } {
    return {
      linear: this.share * this.limit("linear_speed"),
      angular: this.share * this.limit("angular_speed"),
    };
  }

  twist({ x, y, z, rx, ry, rz }: Jog): Twist {
    const { linear: v, angular: w } = this.speeds;
    return {
      linear: { x: v * x, y: v * y, z: v * z },
      angular: { x: w * rx, y: w * ry, z: w * rz },
    };
  }

  protected send(): void {
    const jogger = this.tools.current?.jogger;
    if (jogger !== undefined) {
      this.cockpit.client.publish(path(jogger, "in_twist"), {
        header: { frame_id: this.frame === "tool" ? "tool" : "" },
        twist: this.twist(this.command),
      });
    }
  }
}
