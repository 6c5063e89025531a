// The latest state of some joints, by name. Every message repeats the names; they rarely change.
import type { JointState } from "./messages";

export class PoseTrack {
  names: string[] = [];
  position: Float64Array = new Float64Array();
  velocity: Float64Array = new Float64Array();
  effort: Float64Array = new Float64Array();
  timeNs = 0n;
  private index = new Map<string, number>();

  get isKnown(): boolean {
    return this.names.length > 0;
  }

  take(message: JointState, timeNs: bigint): void {
    if (!sameNames(message.name, this.names)) {
      this.names = message.name;
      this.index = new Map(message.name.map((name, i) => [name, i]));
    }
    this.position = message.position;
    this.velocity = message.velocity;
    this.effort = message.effort;
    this.timeNs = timeNs;
  }

  /** Whether a joint of both is elsewhere by more than this. @param tolerance  rad or m */
  differs(other: PoseTrack, tolerance: number): boolean {
    return this.names.some((name, i) => {
      const there = other.positionOf(name);
      return there !== undefined && Math.abs(this.position[i]! - there) > tolerance;
    });
  }

  forget(): void {
    this.names = [];
    this.index.clear();
  }

  private at(values: Float64Array, name: string): number | undefined {
    const i = this.index.get(name);
    return i === undefined ? undefined : values[i];
  }

  positionOf(name: string): number | undefined {
    return this.at(this.position, name);
  }
  velocityOf(name: string): number | undefined {
    return this.at(this.velocity, name);
  }
  effortOf(name: string): number | undefined {
    return this.at(this.effort, name);
  }
}

export function sameNames(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
