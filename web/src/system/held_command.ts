// A command that lasts while the user holds keys, sticks or buttons. Each of them is a source; their sum is sent
// repeatedly while it is not zero, since the robot stops when its source falls silent, and once when it is zero again.
import { Signal } from "./signal";

const PERIOD_MS = 50;

/** Parts of the highest speeds, -1 to 1, by axis. */
export type Axes<A extends string> = Record<A, number>;

const within = (value: number): number => (value >= 1 ? 1 : value <= -1 ? -1 : value || 0);

export abstract class HeldCommand<A extends string> {
  command: Axes<A>;
  readonly onChange = new Signal();
  private readonly sources = new Map<string, Axes<A>>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(readonly rest: Axes<A>) {
    this.command = rest;
  }

  abstract get isPossible(): boolean;
  /** Send the command, which is at rest or not. */
  protected abstract send(): void;

  private isRest(axes: Axes<A>): boolean {
    return Object.values(axes).every((value) => value === 0);
  }

  /** What a source wants from now on. */
  set(source: string, axes: Axes<A>): void {
    if (this.isRest(axes)) {
      this.sources.delete(source);
    } else if (this.isPossible) {
      this.sources.set(source, axes);
    }
    this.update();
  }

  /** All sources rest. */
  release(): void {
    this.sources.clear();
    this.update();
  }

  /** The robot must not move on, for example because the connection is lost. */
  protected check(): void {
    if (!this.isPossible) {
      this.release();
    }
  }

  private update(): void {
    const axes = Object.keys(this.rest) as A[];
    const sum = (axis: A) =>
      within([...this.sources.values()].reduce((total, source) => total + source[axis], 0));
    const next = Object.fromEntries(axes.map((axis) => [axis, sum(axis)])) as Axes<A>;
    if (axes.every((axis) => next[axis] === this.command[axis])) {
      return;
    }
    this.command = next;
    if (this.isRest(next)) {
      clearInterval(this.timer);
      this.timer = undefined;
      this.send();
    } else if (this.timer === undefined) {
      this.send();
      this.timer = setInterval(() => this.send(), PERIOD_MS);
    }
    this.onChange.emit();
  }
}
