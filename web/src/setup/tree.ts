// The links of a robot, from which limbs are chosen.

/** Answer of `getTree` of the robot model. */
export interface TreeAnswer {
  links: string[];
  /** Place of the parent in `links`; -1: the root. */
  parents: ArrayLike<number>;
  /** Between a link and its parent. */
  joints: string[];
  types: string[];
}

export interface Link {
  name: string;
  /** Number of links above it. */
  depth: number;
}

export class Tree {
  readonly links: Link[] = [];
  private readonly at = new Map<string, number>();

  constructor(private readonly answer: TreeAnswer) {
    answer.links.forEach((name, i) => {
      const parent = this.links[answer.parents[i] ?? -1];
      this.at.set(name, i);
      this.links.push({ name, depth: parent === undefined ? 0 : parent.depth + 1 });
    });
  }

  /** Movable joints on the way down from one link to another; undefined: it is not below. */
  joints(first: string, last: string): string[] | undefined {
    const top = this.at.get(first);
    const joints: string[] = [];
    let at = this.at.get(last);
    while (at !== undefined && at >= 0 && at !== top) {
      if (this.answer.types[at] !== "fixed") {
        joints.unshift(this.answer.joints[at] ?? "");
      }
      at = this.answer.parents[at];
    }
    return top !== undefined && at === top ? joints : undefined;
  }

  /** Links that can end a limb: those with a movable joint above them. */
  below(first: string): Link[] {
    return this.links.filter(({ name }) => (this.joints(first, name) ?? []).length > 0);
  }
}
