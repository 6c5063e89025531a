// What a planned sequence of steps looks like on the ground.
import { length, minus, outer, turnAbout, turnAfter } from "../system/geometry";
import type { BodyTrajectory, Point, Pose, StepGoal } from "../system/messages";

const NEAR = 0.005; // m: a foot that lands where it stood makes no new foothold

export interface Plan {
  /** Of the base, in the world. */
  path: Point[];
  /** Where feet land, in the world, in the order of time. */
  footholds: { limb: string; place: Point }[];
  /** s */
  duration: number;
}

/** Rotation about the vertical, rad. */
export function headingOf({ x, y, z, w }: Pose["orientation"]): number {
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

export const turnTo = (heading: number): Pose["orientation"] =>
  turnAbout({ x: 0, y: 0, z: 1 }, heading);

/** The base projected on the ground. */
export function footprint({ position, orientation }: Pose): Pose {
  return { position: { ...position, z: 0 }, orientation: turnTo(headingOf(orientation)) };
}

function landings(foot: BodyTrajectory, base: Pose[]): { at: number; place: Point }[] {
  const found: { at: number; place: Point }[] = [];
  let stood: Point | undefined;
  foot.points.forEach(({ pose, contact }, i) => {
    if (!contact) {
      return;
    }
    const place = outer(base[i]!, pose.position);
    const hasLanded = i > 0 && !foot.points[i - 1]!.contact;
    if (hasLanded && (stood === undefined || length(minus(place, stood)) > NEAR)) {
      found.push({ at: i, place });
    }
    stood = place;
  });
  return found;
}

/** @param start  the base in the world when the plan was made: the frame `base_link_path` is below it */
export function readPlan(goal: StepGoal, start: Pose): Plan {
  const isWorld = ["odom", "world"].includes(goal.header.frame_id);
  const frame = footprint(start);
  const toWorld = ({ position, orientation }: Pose): Pose =>
    isWorld
      ? { position, orientation }
      : {
          position: outer(frame, position),
          orientation: turnAfter(frame.orientation, orientation),
        };
  const base = goal.base_motion.points.map(({ pose }) => toWorld(pose));
  const footholds = goal.ee_motion
    .flatMap((foot) => landings(foot, base).map((landing) => ({ limb: foot.name, ...landing })))
    .sort((a, b) => a.at - b.at)
    .map(({ limb, place }) => ({ limb, place }));
  return {
    path: base.map(({ position }) => position),
    footholds,
    duration: goal.time_from_start.at(-1) ?? 0,
  };
}
