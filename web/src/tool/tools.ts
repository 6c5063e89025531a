// The tools of a robot: the last links of its arms, with the components that move them.
import type { Cockpit } from "../system/cockpit";
import { type ComponentInfo, path, propertyOf } from "../system/components";
import type { Limb } from "../system/limbs";
import { Signal } from "../system/signal";

/** Limbs with fewer joints are legs or heads: they cannot lead a tool. */
const LEAST_JOINTS = 5;

export interface Tool {
  chain: string;
  joints: string[];
  /** Links: poses of the last one are relative to the first one. */
  first: string;
  last: string;
  /** Moves it through targets. */
  mover?: ComponentInfo;
  /** Moves it with a velocity. */
  jogger?: ComponentInfo;
}

/** The limb that a component moves: the one it names, or the first arm, or else the first limb. */
export function limbOf(component: ComponentInfo, limbs: Limb[]): Limb | undefined {
  const chains = propertyOf(component, "controlled_chains");
  const name = propertyOf(component, "chain") || (Array.isArray(chains) && chains[0]) || "";
  return name === ""
    ? (limbs.find(({ joints }) => joints.length >= 6) ?? limbs[0])
    : limbs.find((limb) => limb.name === name);
}

export class Tools {
  list: Tool[] = [];
  readonly onChange = new Signal();
  private chosen = "";
  private signature = "";
  private readonly links = new Map<string, { first: string; last: string }>();

  constructor(private readonly cockpit: Cockpit) {
    const find = () => void this.find();
    cockpit.onRoles.on(find);
    cockpit.onLimbs.on(find);
    cockpit.onAdvertised.on(find);
  }

  get current(): Tool | undefined {
    return this.list.find(({ chain }) => chain === this.chosen) ?? this.list[0];
  }

  choose(chain: string): void {
    this.chosen = chain;
    this.onChange.emit();
  }

  private async find(): Promise<void> {
    const { roles, chains } = this.cockpit;
    const tools = new Map<string, Tool>();
    for (const [key, components] of [
      ["mover", roles.movers],
      ["jogger", roles.joggers],
    ] as const) {
      for (const component of components) {
        const limb = limbOf(component, chains);
        const links = limb && limb.joints.length >= LEAST_JOINTS && (await this.ends(limb.name));
        if (limb && links) {
          const tool = tools.get(limb.name);
          const { name: chain, joints } = limb;
          tools.set(chain, { ...(tool ?? { chain, joints, ...links }), [key]: component });
        }
      }
    }
    this.list = [...tools.values()];
    const signature = JSON.stringify(
      this.list.map(({ chain, mover, jogger }) => [chain, mover?.name, jogger?.name]),
    );
    if (signature !== this.signature) {
      this.signature = signature;
      this.onChange.emit();
    }
  }

  /** The first and the last link of a chain; undefined: not known yet. */
  private async ends(chain: string): Promise<{ first: string; last: string } | undefined> {
    const { robotModel } = this.cockpit.roles;
    const known = this.links.get(chain);
    if (known !== undefined || robotModel === undefined) {
      return known;
    }
    const answer = await this.cockpit.client
      .call<{ links: string[] }>(path(robotModel, "getChain"), { name: chain })
      .catch(() => undefined);
    const [first, last] = [answer?.links[0], answer?.links.at(-1)];
    if (first !== undefined && last !== undefined) {
      this.links.set(chain, { first, last });
    }
    return this.links.get(chain);
  }
}
