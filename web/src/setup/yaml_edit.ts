// Changes single entries of a YAML text. Everything else, comments too, stays as it is.
import { type Bag, type Entry, entryOf, isBag, readYaml, type Value } from "./yaml_read";

/** What is written: numbers, texts, lists and bags of them. */
export type Plain = string | number | Plain[] | { [key: string]: Plain };

const STEP = "  ";
/** Words that mean something else without quotes. */
const WORDS = /^(true|false|yes|no|on|off|null|~|[-+]?\.?\d.*|[-+]?\.(inf|nan))$/i;

function scalar(text: string): string {
  const isPlain = /^[A-Za-z_][\w./-]*( [\w./-]+)*$/.test(text) && !WORDS.test(text);
  return isPlain || isNumber(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

const isNumber = (text: string) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text);

function flow(value: Plain): string {
  if (typeof value === "object") {
    return Array.isArray(value)
      ? `[${value.map(flow).join(", ")}]`
      : `{${Object.entries(value)
          .map(([key, item]) => `${scalar(key)}: ${flow(item)}`)
          .join(", ")}}`;
  }
  return typeof value === "number" ? String(value) : scalar(value);
}

/** Bags of numbers fit on a line. */
const isShort = (value: Plain): boolean =>
  typeof value !== "object" ||
  Array.isArray(value) ||
  Object.values(value).every(
    (item) => typeof item === "number" || (typeof item === "string" && isNumber(item)),
  );

function print(key: string, value: Plain, indent: string): string[] {
  if (isShort(value)) {
    return [`${indent}${scalar(key)}: ${flow(value)}`];
  }
  const items = Object.entries(value).flatMap(([name, item]) => print(name, item, indent + STEP));
  return [`${indent}${scalar(key)}:`, ...items];
}

function plain(value: Value): Plain {
  if (isBag(value)) {
    return Object.fromEntries(value.entries.map((entry) => [entry.key, plain(entry.value)]));
  }
  return Array.isArray(value) ? value.map(plain) : value;
}

/** The value of an entry with one deeper value set. */
function withValue(before: Plain | undefined, path: string[], value: Plain | undefined): Plain {
  const [key, ...rest] = path;
  if (key === undefined) {
    return value!;
  }
  const isObject = typeof before === "object" && !Array.isArray(before);
  const { [key]: old, ...others } = isObject ? before : {};
  return value === undefined && rest.length === 0
    ? others
    : { ...(isObject ? before : {}), [key]: withValue(old, rest, value) };
}

const isEmpty = (value: Plain): boolean =>
  typeof value === "object" && Object.keys(value).length === 0;

/** The bag in which the text has to change, its place in the path, and the entry there. */
function find(root: Bag, path: string[]): { bag: Bag; depth: number; entry: Entry | undefined } {
  let bag = root;
  let depth = 0;
  let entry = entryOf(bag, path[0]!);
  while (depth < path.length - 1 && entry && isBag(entry.value) && entry.value.isBlock) {
    bag = entry.value;
    entry = entryOf(bag, path[++depth]!);
  }
  return { bag, depth, entry };
}

function splice(text: string, from: number, to: number, lines: string[]): string {
  const all = text.split("\n");
  all.splice(from, to - from, ...lines);
  return all.join("\n");
}

/** Where a new entry of a bag goes: behind the last one. */
function end(text: string, bag: Bag): { at: number; indent: string; gap: boolean } {
  const last = bag.entries.at(-1);
  if (last !== undefined) {
    return { at: last.to, indent: " ".repeat(last.indent), gap: last.indent === 0 };
  }
  const lines = text.split("\n");
  return { at: lines.at(-1) === "" ? lines.length - 1 : lines.length, indent: "", gap: false };
}

/** Set a value by the keys that lead to it, or remove it; what is left empty by that goes, too.
 *  @throws YamlError  if the text cannot be read */
export function setValue(text: string, path: string[], value: Plain | undefined): string {
  const { bag, depth, entry } = find(readYaml(text), path);
  const rest = path.slice(depth + 1);
  if (entry === undefined) {
    if (value === undefined) {
      return text;
    }
    const { at, indent, gap } = end(text, bag);
    const lines = print(path[depth]!, withValue(undefined, rest, value), indent);
    const added = splice(text, at, at, gap ? ["", ...lines] : lines);
    return added.endsWith("\n") ? added : `${added}\n`;
  }
  const isGone = value === undefined && rest.length === 0;
  const next = isGone ? {} : withValue(plain(entry.value), rest, value);
  if (!isEmpty(next)) {
    return splice(text, entry.from, entry.to, print(entry.key, next, " ".repeat(entry.indent)));
  }
  return bag.entries.length === 1 && depth > 0
    ? setValue(text, path.slice(0, depth), undefined)
    : splice(text, entry.from, entry.to, []);
}

/** Give an entry another key, in its place.
 *  @throws YamlError  if the text cannot be read */
export function renameKey(text: string, path: string[], key: string): string {
  const { depth, entry } = find(readYaml(text), path);
  if (entry === undefined) {
    return text;
  }
  if (depth === path.length - 1) {
    const line = text.split("\n")[entry.from]!;
    const old = /^(\s*)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^:]*?)(\s*:(?:\s|$).*)$/.exec(line);
    const renamed = old === null ? line : `${old[1]}${scalar(key)}${old[3]}`;
    return splice(text, entry.from, entry.from + 1, [renamed]);
  }
  const parent = plain(entryAt(readYaml(text), path.slice(0, -1))!.value) as Record<string, Plain>;
  const entries = Object.entries(parent).map(([name, value]) => [
    name === path.at(-1) ? key : name,
    value,
  ]);
  return setValue(text, path.slice(0, -1), Object.fromEntries(entries) as Plain);
}

export function entryAt(root: Bag, path: string[]): Entry | undefined {
  let value: Value = root;
  let entry: Entry | undefined;
  for (const key of path) {
    entry = entryOf(value, key);
    if (entry === undefined) {
      return undefined;
    }
    value = entry.value;
  }
  return entry;
}
