// The velocity that the user wants the robot to walk with.
import type { Cockpit } from "../system/cockpit";
import { path, propertyOf } from "../system/components";
import { type Axes, HeldCommand } from "../system/held_command";
import type { Twist } from "../system/messages";

/** Used if the controller states no limit: m/s, m/s, rad/s. */
const LIMITS = { speed_x_max: 0.2, speed_y_max: 0.1, turn_max: 0.6 };

export type Command = Axes<"forward" | "left" | "turn">;
export const REST: Command = { forward: 0, left: 0, turn: 0 };

export class Walking extends HeldCommand<keyof Command> {
  /** Part of the highest speeds, 0 to 1. */
  share = 1;

  constructor(private readonly cockpit: Cockpit) {
    super(REST);
    const check = () => this.check();
    cockpit.onStop.on(check);
    cockpit.onFall.on(check);
    cockpit.onRoles.on(check);
    cockpit.onConnection.on(check);
  }

  get isPossible(): boolean {
    const { roles, mayChange, client, stop, fall } = this.cockpit;
    return (
      roles.walk?.state === "running" &&
      mayChange &&
      client.state === "open" &&
      stop?.stopped !== true &&
      fall?.fallen !== true
    );
  }

  private limit(name: keyof typeof LIMITS): number {
    const value = propertyOf(this.cockpit.roles.walk, name);
    return typeof value === "number" && value > 0 ? value : LIMITS[name];
  }

  /** Of a command, m/s and rad/s. */
  twist({ forward, left, turn }: Command): Twist {
    const x = this.share * forward * this.limit("speed_x_max");
    const y = this.share * left * this.limit("speed_y_max");
    const z = this.share * turn * this.limit("turn_max");
    return { linear: { x, y, z: 0 }, angular: { x: 0, y: 0, z } };
  }

  protected send(): void {
    const { walk } = this.cockpit.roles;
    if (walk !== undefined) {
      this.cockpit.client.publish(path(walk, "in_cmd_vel"), this.twist(this.command));
    }
  }
}
