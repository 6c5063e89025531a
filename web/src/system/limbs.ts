// Groups joints into limbs, which the arbiter assigns to controllers, and the rest.

export interface Limb {
  /** Name of the chain; empty for joints without one. */
  name: string;
  joints: string[];
}

/** Answer of `listLimbs` of the robot model; `joints` lists those of the first chain, then the second … */
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

/** Each joint once, in the first limb that contains it, in the order of limbs; the rest at the end. */
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

/** Length of the common prefix of all names, cut at the end of a word. */
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

/** Removes the words that all joints of a group share: `leg1_joint2` in `leg1` becomes `joint2`,
 *  `elbow_joint` in an arm becomes `elbow`. */
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
