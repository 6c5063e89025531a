// Where links would touch each other, or an object, on a motion that has not been made yet. The gate knows.
import type { Cockpit } from "../system/cockpit";
import { path } from "../system/components";
import type { CollisionState } from "../system/messages";

/** Positions of joints, pose after pose. */
export interface Way {
  joints: string[];
  poses: number[][];
}

export interface Contact {
  /** For people. */
  reason: string;
  /** The last pose before it in which the gate does not hold the robot yet; -1: none. */
  last: number;
}

/** @param isStale  another motion is wanted meanwhile
 *  @return undefined: there is none, the gate does not say, or it is stale */
export async function firstContact(
  cockpit: Cockpit,
  { joints, poses }: Way,
  isStale: () => boolean,
): Promise<Contact | undefined> {
  const { guard } = cockpit.roles;
  const service = guard && path(guard, "checkPose");
  if (service === undefined || !cockpit.client.hasService(service)) {
    return undefined;
  }
  let last = -1;
  for (const [i, position] of poses.entries()) {
    const state = await cockpit.client
      .call<CollisionState>(service, { name: joints, position })
      .catch(() => undefined);
    if (state === undefined || isStale()) {
      return undefined;
    }
    if (state.blocked) {
      const percent = Math.round((100 * i) / Math.max(1, poses.length - 1));
      const reason = `${state.link_a} and ${state.link_b} would touch after ${percent} % of the way`;
      return { reason, last };
    }
    if (!state.near || state.distance >= state.margin) {
      last = i;
    }
  }
  return undefined;
}
