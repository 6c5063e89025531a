// Points and poses as messages have them.
import type { Point, Pose } from "./messages";

export type Turn = Pose["orientation"];

export const ORIGIN: Pose = {
  position: { x: 0, y: 0, z: 0 },
  orientation: { x: 0, y: 0, z: 0, w: 1 },
};

/** A copy that no message changes. */
export const copyOf = ({ position, orientation }: Pose): Pose => ({
  position: { ...position },
  orientation: { ...orientation },
});

export const plus = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y, z: a.z + b.z });
export const minus = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y, z: a.z - b.z });
export const length = (a: Point): number => Math.hypot(a.x, a.y, a.z);

/** First b, then a. */
export function turnAfter(a: Turn, b: Turn): Turn {
  return {
    x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
    y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
    z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
  };
}

/** About a unit axis, rad. */
export function turnAbout(axis: Point, angle: number): Turn {
  const s = Math.sin(angle / 2);
  return { x: s * axis.x, y: s * axis.y, z: s * axis.z, w: Math.cos(angle / 2) };
}

export function rotate(turn: Turn, p: Point): Point {
  const v = { x: p.x, y: p.y, z: p.z, w: 0 };
  const inverse = { x: -turn.x, y: -turn.y, z: -turn.z, w: turn.w };
  const { x, y, z } = turnAfter(turnAfter(turn, v), inverse);
  return { x, y, z };
}

/** A point of the pose's frame in the outer frame. */
export const outer = (pose: Pose, p: Point): Point =>
  plus(pose.position, rotate(pose.orientation, p));

/** A point of the outer frame in the pose's frame. */
export function inner(pose: Pose, p: Point): Point {
  const { x, y, z, w } = pose.orientation;
  return rotate({ x: -x, y: -y, z: -z, w }, minus(p, pose.position));
}
