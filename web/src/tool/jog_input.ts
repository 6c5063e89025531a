// What keys and gamepads mean for jogging.
import { type Jog, type JogAxis, STILL } from "./jogging";
import { axisOf } from "../walk/walk_input";

/** By place on the keyboard: the left hand moves, the right hand turns. */
export const JOG_KEYS: Record<string, { axis: JogAxis; sign: 1 | -1 }> = {
  KeyW: { axis: "x", sign: 1 },
  KeyS: { axis: "x", sign: -1 },
  KeyA: { axis: "y", sign: 1 },
  KeyD: { axis: "y", sign: -1 },
  KeyQ: { axis: "z", sign: 1 },
  KeyE: { axis: "z", sign: -1 },
  KeyL: { axis: "rx", sign: 1 },
  KeyJ: { axis: "rx", sign: -1 },
  KeyK: { axis: "ry", sign: 1 },
  KeyI: { axis: "ry", sign: -1 },
  KeyU: { axis: "rz", sign: 1 },
  KeyO: { axis: "rz", sign: -1 },
};

export const isJogKey = (code: string): boolean => Object.hasOwn(JOG_KEYS, code);

/** The letter of a direction. */
export const keyOf = (axis: JogAxis, sign: 1 | -1): string =>
  Object.entries(JOG_KEYS)
    .find(([, key]) => key.axis === axis && key.sign === sign)![0]
    .slice(3);

/** Pressed keys; opposite keys cancel each other. */
export function jogOfKeys(codes: Iterable<string>): Jog {
  const sum = { ...STILL };
  for (const code of codes) {
    const key = JOG_KEYS[code];
    if (key !== undefined) {
      sum[key.axis] += key.sign;
    }
  }
  return sum;
}

/** A gamepad with the standard mapping: left stick x and y, right stick z and about z; the cross turns about x and y. */
export function jogOfGamepad({ axes, buttons }: Pick<Gamepad, "axes" | "buttons">): Jog {
  const cross = (plus: number, minus: number) =>
    Number(buttons[plus]?.pressed ?? false) - Number(buttons[minus]?.pressed ?? false);
  return {
    x: -axisOf(axes[1]) || 0,
    y: -axisOf(axes[0]) || 0,
    z: -axisOf(axes[3]) || 0,
    rx: cross(15, 14),
    ry: cross(13, 12),
    rz: -axisOf(axes[2]) || 0,
  };
}
