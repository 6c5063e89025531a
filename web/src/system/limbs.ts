// Joints in groups: limbs, which the arbiter gives to controllers, and the rest.

export interface Limb {
  /** As the robot's chains are called; "" for joints of none. */
  name: string;
  joints: string[];
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

/** `leg1_joint2` within `leg1` is `joint2`: what all joints of a group share says nothing. */
export function shortNames(names: string[]): string[] {
  if (names.length < 2) {
    return names;
  }
  let prefix = names[0]!;
  for (const name of names) {
    while (!name.startsWith(prefix)) {
      prefix = prefix.slice(0, -1);
    }
  }
  // Only whole words go.
  const cut = Math.max(prefix.lastIndexOf("_"), prefix.lastIndexOf("-"), prefix.lastIndexOf("/"));
  const short = names.map((name) => name.slice(cut + 1));
  return short.every((name) => name !== "") ? short : names;
}
