// The joint limits that the server enforces, read from the URDF that it serves.
import { propertyOf, type Roles } from "./components";

export interface Limits {
  lower: number;
  upper: number;
  /** Radians; otherwise metres. */
  isAngle: boolean;
  /** Otherwise the joint rotates freely, and lower and upper span one turn for the slider. */
  isBounded: boolean;
  /** Highest speed; undefined if it is not stated. */
  velocity?: number;
}

/** Attributes of a joint in the URDF; undefined if missing. */
export interface JointText {
  type: string;
  hasLimit: boolean;
  lower?: number;
  upper?: number;
  softLower?: number;
  softUpper?: number;
}

export const FREE: Limits = { lower: -Math.PI, upper: Math.PI, isAngle: true, isBounded: false };

const finite = (value: number | undefined, otherwise: number): number =>
  value !== undefined && Number.isFinite(value) ? value : otherwise;

/** The tighter of hard and soft limits; missing attributes are ignored. */
export function effectiveLimits(joint: JointText): Limits {
  const isAngle = joint.type !== "prismatic";
  if (joint.type === "continuous" || !joint.hasLimit) {
    return isAngle ? FREE : { lower: -1, upper: 1, isAngle, isBounded: false };
  }
  const hard = { lower: finite(joint.lower, 0), upper: finite(joint.upper, 0) };
  const lower = Math.max(hard.lower, finite(joint.softLower, -Infinity));
  const upper = Math.min(hard.upper, finite(joint.softUpper, Infinity));
  return { ...(lower <= upper ? { lower, upper } : hard), isAngle, isBounded: true };
}

/** Limits of the URDF, those that the robot's property file makes smaller in place of them. */
export function enforcedLimits(
  { limits, roles }: { limits: ReadonlyMap<string, Limits>; roles: Roles },
  joint: string,
): Limits {
  const all = propertyOf(roles.robotModel, "joint_limits") as Record<string, object> | undefined;
  const smaller = Object.entries(all?.[joint] ?? {}).map(([key, value]) => [key, Number(value)]);
  return { ...(limits.get(joint) ?? FREE), ...Object.fromEntries(smaller) };
}

export function readLimits(urdf: string): Map<string, Limits> {
  const limits = new Map<string, Limits>();
  const page = new DOMParser().parseFromString(urdf, "application/xml");
  for (const joint of page.querySelectorAll("robot > joint")) {
    const limit = joint.querySelector(":scope > limit");
    const safety = joint.querySelector(":scope > safety_controller");
    const number = (element: Element | null, name: string) => {
      const text = element?.getAttribute(name);
      return text === null || text === undefined || text.trim() === "" ? undefined : Number(text);
    };
    const text: JointText = {
      type: joint.getAttribute("type") ?? "",
      hasLimit: limit !== null,
    };
    const stated = {
      lower: number(limit, "lower"),
      upper: number(limit, "upper"),
      softLower: number(safety, "soft_lower_limit"),
      softUpper: number(safety, "soft_upper_limit"),
    };
    for (const [key, value] of Object.entries(stated)) {
      if (value !== undefined) {
        text[key as keyof typeof stated] = value;
      }
    }
    const velocity = number(limit, "velocity");
    limits.set(joint.getAttribute("name") ?? "", {
      ...effectiveLimits(text),
      ...(velocity === undefined ? {} : { velocity }),
    });
  }
  return limits;
}
