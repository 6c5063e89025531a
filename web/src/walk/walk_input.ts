// What keys and gamepads mean for walking.
import { type Command, REST } from "./walking";

const KEYS: Record<string, Partial<Command>> = {
  KeyW: { forward: 1 },
  KeyS: { forward: -1 },
  KeyA: { turn: 1 },
  KeyD: { turn: -1 },
  KeyQ: { left: 1 },
  KeyE: { left: -1 },
  ArrowUp: { forward: 1 },
  ArrowDown: { forward: -1 },
  ArrowLeft: { turn: 1 },
  ArrowRight: { turn: -1 },
};
const DEAD = 0.15; // a stick at rest is not exactly in the middle

export const isWalkKey = (code: string): boolean => Object.hasOwn(KEYS, code);

/** Pressed keys, by their place on the keyboard; opposite keys cancel each other. */
export function ofKeys(codes: Iterable<string>): Command {
  const sum = { ...REST };
  for (const code of codes) {
    const { forward = 0, left = 0, turn = 0 } = KEYS[code] ?? {};
    sum.forward += forward;
    sum.left += left;
    sum.turn += turn;
  }
  const { sign } = Math;
  return { forward: sign(sum.forward), left: sign(sum.left), turn: sign(sum.turn) };
}

/** Without its dead zone, still reaching 1. */
export function axisOf(value = 0): number {
  const size = Math.min(Math.abs(value), 1);
  return size > DEAD ? (Math.sign(value) * (size - DEAD)) / (1 - DEAD) : 0;
}

/** Axes of a gamepad with the standard mapping: the left stick walks, the right one turns. */
export function ofAxes(axes: readonly number[]): Command {
  const forward = -axisOf(axes[1]);
  const left = -axisOf(axes[0]);
  const turn = -axisOf(axes[2]);
  return { forward: forward || 0, left: left || 0, turn: turn || 0 };
}

/** A stick on the page: up walks, to the side turns.
 *  @param x  to the right, -1 to 1  @param y  down, -1 to 1 */
export function ofStick(x: number, y: number): Command {
  return { forward: -axisOf(y) || 0, left: 0, turn: -axisOf(x) || 0 };
}
