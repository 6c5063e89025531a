// The messages that the page reads, as decoded by cdr.ts; see docs/messages.md.

export interface Stamp {
  sec: number;
  nanosec: number;
}
export interface Header {
  stamp: Stamp;
  frame_id: string;
}
export interface Point {
  x: number;
  y: number;
  z: number;
}
export interface Pose {
  position: Point;
  orientation: Point & { w: number };
}
export interface JointState {
  header: Header;
  name: string[];
  position: Float64Array;
  velocity: Float64Array;
  effort: Float64Array;
}
export interface LimbState {
  header: Header;
  name: string[];
  pose: Pose[];
}
export interface Wrench {
  force: Point;
  torque: Point;
}
export interface Twist {
  linear: Point;
  angular: Point;
}
export interface RigidBodyState {
  header: Header;
  name: string[];
  pose: Pose[];
  twist: Twist[];
  wrench: Wrench[];
}
export interface BalanceState {
  header: Header;
  mass: number;
  com: Point;
  zmp: Point;
  polygon: Point[];
  margin: number;
  contact: string[];
}
export interface ResourceAssignment {
  name: string;
  resources: string[];
  owners: string[];
  reason: string;
}
export interface StopState {
  header: Header;
  stopped: boolean;
  at_rest: boolean;
  who: string;
  why: string;
  since: Stamp;
  resumed_by: string;
  count: number | bigint;
}
export interface FallState {
  header: Header;
  fallen: boolean;
  reason: string;
  tilt: number;
  count: number | bigint;
}
/** The nearest pair of links, in the root frame; from the gate. */
export interface CollisionState {
  header: Header;
  /** false: nothing is checked, for this reason */
  enabled: boolean;
  reason: string;
  pair_count: number;
  /** Pairs of shapes that are switched off. */
  off_count: number;
  object_count: number;
  margin: number;
  /** A pair is near: the fields below are set. */
  near: boolean;
  link_a: string;
  link_b: string;
  distance: number;
  point_a: Point;
  point_b: Point;
  blocked: boolean;
  owners: string;
  blocked_count: number | bigint;
}
/** What the robot must not touch: `box`, `sphere`, `cylinder`, `plane` or `hull`. */
export interface WorldObject {
  name: string;
  shape: string;
  size: ArrayLike<number> & Iterable<number>;
  points: Point[];
  pose: Pose;
}
export interface WorldObjectList {
  objects: WorldObject[];
  complete: boolean;
}
/** A trajectory of a body; `contact`: it touches the ground. */
export interface BodyTrajectory {
  name: string;
  points: { pose: Pose; contact: boolean }[];
}
export interface StepGoal {
  header: Header;
  time_from_start: Float64Array;
  base_motion: BodyTrajectory;
  ee_motion: BodyTrajectory[];
}
export interface BatteryState {
  voltage: number;
  percentage: number;
}
export interface LogLine {
  stamp: Stamp;
  level: number;
  name: string;
  msg: string;
}
export interface Outcome {
  success: boolean;
  message: string;
}

export const seconds = (stamp: Stamp): number => stamp.sec + 1e-9 * stamp.nanosec;
