// What a property file says, and how each part of it is changed. All functions take the text of the file and
// return a new one.
import { entryOf, isBag, readYaml, type Value } from "./yaml_read";
import { type Plain, renameKey, setValue } from "./yaml_edit";

export interface LimbEntry {
  name: string;
  first: string;
  last: string;
  /** Name of the contact at its tip; empty: none. */
  contact: string;
}

export interface JointLimit {
  lower?: number;
  upper?: number;
  velocity?: number;
}
export const LIMIT_KEYS = ["lower", "upper", "velocity"] as const;

export interface Properties {
  /** undefined: the file leaves it to the program to find them. */
  limbs: LimbEntry[] | undefined;
  contacts: string[];
  poses: Map<string, Map<string, number>>;
  limits: Map<string, JointLimit>;
}

const textOf = (value: Value | undefined): string => (typeof value === "string" ? value : "");
const keysOf = (value: Value | undefined): string[] =>
  isBag(value) ? value.entries.map(({ key }) => key) : [];

function chainsKey(text: string): string {
  return entryOf(readYaml(text), "chains") ? "chains" : "kinematics_chains";
}

/** @throws YamlError  if the text cannot be read */
export function readProperties(text: string): Properties {
  const root = readYaml(text);
  const part = (key: string) => entryOf(root, key)?.value;
  const chains = part(chainsKey(text));
  const field = (limb: Value, key: string) => textOf(entryOf(limb, key)?.value);
  const numbers = (bag: Value) =>
    new Map(keysOf(bag).map((key) => [key, Number(textOf(entryOf(bag, key)?.value) || NaN)]));
  const poses = part("poses");
  const limits = part("joint_limits");
  return {
    limbs: isBag(chains)
      ? chains.entries.map(({ key, value }) => ({
          name: key,
          first: field(value, "first_link"),
          last: field(value, "last_link"),
          contact: field(value, "default_contact"),
        }))
      : undefined,
    contacts: keysOf(part("contacts")),
    poses: new Map(isBag(poses) ? poses.entries.map((e) => [e.key, numbers(e.value)]) : []),
    limits: new Map(
      isBag(limits) ? limits.entries.map((e) => [e.key, Object.fromEntries(numbers(e.value))]) : [],
    ),
  };
}

function limbValue({ first, last, contact }: LimbEntry): Plain {
  return {
    first_link: first,
    last_link: last,
    ...(contact === "" ? {} : { default_contact: contact }),
  };
}

/** Write all limbs into a file that states none. */
export function declareLimbs(text: string, limbs: LimbEntry[]): string {
  const bag = Object.fromEntries(limbs.map((limb) => [limb.name, limbValue(limb)]));
  return limbs.length === 0 ? text : setValue(text, [chainsKey(text)], bag);
}

export function addLimb(text: string, limb: LimbEntry): string {
  return setValue(text, [chainsKey(text), limb.name], limbValue(limb));
}

/** Give a limb other links, or another contact; what else the file says about it stays. */
export function changeLimb(text: string, before: LimbEntry, after: LimbEntry): string {
  const key = chainsKey(text);
  const set = (now: string, field: string, old: string, value: string) =>
    old === value ? now : setValue(now, [key, before.name, field], value || undefined);
  let now = set(text, "first_link", before.first, after.first);
  now = set(now, "last_link", before.last, after.last);
  // A link beyond the old tip is not beyond the new one.
  now =
    before.last === after.last
      ? now
      : setValue(now, [key, before.name, "last_link_virtual"], undefined);
  return set(now, "default_contact", before.contact, after.contact);
}

/** Replace a limb in the groups; undefined removes it, and with it groups that are left empty. */
function regroup(text: string, name: string, next: string | undefined): string {
  const groups = entryOf(readYaml(text), "groups")?.value;
  let now = text;
  for (const group of isBag(groups) ? groups.entries : []) {
    const chains = entryOf(group.value, "chains")?.value;
    if (Array.isArray(chains) && chains.includes(name)) {
      const left = chains.flatMap((chain) => (chain === name ? (next ?? []) : textOf(chain)));
      const value = left.length === 0 ? undefined : left;
      now = setValue(now, ["groups", group.key, "chains"], value);
    }
  }
  return now;
}

export function renameLimb(text: string, name: string, next: string): string {
  return regroup(renameKey(text, [chainsKey(text), name], next), name, next);
}

export function removeLimb(text: string, name: string): string {
  return regroup(setValue(text, [chainsKey(text), name], undefined), name, undefined);
}

export function setContact(text: string, name: string, points: number[][]): string {
  return setValue(text, ["contacts", name], { points });
}

export function setPose(text: string, name: string, pose: Map<string, number>): string {
  return setValue(text, ["poses", name], Object.fromEntries(pose));
}

export function removePose(text: string, name: string): string {
  return setValue(text, ["poses", name], undefined);
}

export function setLimit(
  text: string,
  joint: string,
  key: (typeof LIMIT_KEYS)[number],
  value: number | undefined,
): string {
  return setValue(text, ["joint_limits", joint, key], value);
}

/** Where a line of the text belongs: the keys of its section and of its entry; counted from 1. */
export function placeOf(text: string, line: number): string[] {
  const root = readYaml(text);
  const holds = ({ from, to }: { from: number; to: number }) => from < line && line <= to;
  const section = root.entries.find(holds);
  const entry = isBag(section?.value) ? section.value.entries.find(holds) : undefined;
  return [section?.key, entry?.key].filter((key) => key !== undefined);
}
