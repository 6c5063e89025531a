// Joints in groups: limbs, which the arbiter gives to controllers, and the rest.

export interface Limb {
  /** As the robot's chains are called; "" for joints of none. */
  name: string;
  joints: string[];
}

/** What `listLimbs` of the robot model says: joints of the first chain, then those of the second … */
export interface LimbsAnswer {
  chains: string[];
  contacts: string[];
  joint_counts: number[];
  joints: string[];
}

export function readLimbs({ chains, joint_counts, joints }: LimbsAnswer): Limb[] {
  let at = 0;
  return chains.map((name, i) => {
    const from = at;
    at += joint_counts[i] ?? 0;
    return { name, joints: joints.slice(from, at) };
  });
}

/** Every joint once: with the first limb that has it, in the order of limbs; the rest at the end. */
export function groupJoints(joints: string[], chains: Limb[], resources: string[]): Limb[] {
  const rank = (name: string) => {
    const at = resources.indexOf(name);
    return at < 0 ? resources.length : at;
  };
  const ordered = [...chains].sort((a, b) => rank(a.name) - rank(b.name));
  const left = new Set(joints);
  const limbs: Limb[] = [];
  for (const chain of ordered) {
    const own = chain.joints.filter((joint) => left.delete(joint));
    if (own.length > 0) {
      limbs.push({ name: chain.name, joints: own });
    }
  }
  if (left.size > 0) {
    limbs.push({ name: "", joints: [...left] });
  }
  return limbs;
}

const isBreak = (text: string) => /[_\-/]/.test(text);

/** How many characters at the start all names share, up to the end of a word. */
function sharedStart(names: string[]): number {
  let length = 0;
  const first = names[0]!;
  while (length < first.length && names.every((name) => name[length] === first[length])) {
    length++;
  }
  while (length > 0 && !isBreak(first[length - 1]!)) {
    length--;
  }
  return length;
}

/** `leg1_joint2` within `leg1` is `joint2`, `elbow_joint` of an arm is `elbow`: words that all joints of a
 *  group share say nothing. */
export function shortNames(names: string[]): string[] {
  if (names.length < 2) {
    return names;
  }
  const start = sharedStart(names);
  const rest = names.map((name) => name.slice(start));
  const end = sharedStart(rest.map((name) => [...name].reverse().join("")));
  const short = rest.map((name) => name.slice(0, name.length - end));
  return [short, rest].find((list) => list.every((name) => name !== "")) ?? names;
}
