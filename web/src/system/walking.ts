// The velocity that the user wants the robot to walk with. Keys, stick and gamepad are sources; their sum is sent
// repeatedly while it is not zero, since the robot stops when its source falls silent, and once when it is zero again.
import type { Cockpit } from "./cockpit";
import { path, propertyOf } from "./components";
import type { Twist } from "./messages";
import { Signal } from "./signal";

const PERIOD_MS = 66;
/** Used if the controller states no limit: m/s, m/s, rad/s. */
const LIMITS = { speed_x_max: 0.2, speed_y_max: 0.1, turn_max: 0.6 };

/** Parts of the highest speeds, -1 to 1. */
export interface Command {
  forward: number;
  left: number;
  turn: number;
}

export const REST: Command = { forward: 0, left: 0, turn: 0 };

const within = (value: number): number => (value >= 1 ? 1 : value <= -1 ? -1 : value || 0);
const isRest = ({ forward, left, turn }: Command): boolean =>
  forward === 0 && left === 0 && turn === 0;

export class Walking {
  /** Part of the highest speeds, 0 to 1. */
  share = 1;
  command: Command = REST;
  readonly onChange = new Signal();
  private readonly sources = new Map<string, Command>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly cockpit: Cockpit) {
    const check = () => {
      if (!this.isPossible) {
        this.release();
      }
    };
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

  /** What a source wants from now on. */
  set(source: string, command: Command): void {
    if (isRest(command)) {
      this.sources.delete(source);
    } else if (this.isPossible) {
      this.sources.set(source, command);
    }
    this.update();
  }

  /** All sources rest. */
  release(): void {
    this.sources.clear();
    this.update();
  }

  private update(): void {
    const sum = (part: keyof Command) =>
      within([...this.sources.values()].reduce((total, command) => total + command[part], 0));
    const next = { forward: sum("forward"), left: sum("left"), turn: sum("turn") };
    const { forward, left, turn } = this.command;
    if (next.forward === forward && next.left === left && next.turn === turn) {
      return;
    }
    this.command = next;
    if (isRest(next)) {
      clearInterval(this.timer);
      this.timer = undefined;
      this.send();
    } else if (this.timer === undefined) {
      this.send();
      this.timer = setInterval(() => this.send(), PERIOD_MS);
    }
    this.onChange.emit();
  }

  private send(): void {
    const { walk } = this.cockpit.roles;
    if (walk !== undefined) {
      this.cockpit.client.publish(path(walk, "in_cmd_vel"), this.twist(this.command));
    }
  }
}
