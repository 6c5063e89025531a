// Reads the YAML of property files: bags and lists, in blocks or in brackets, plain and quoted texts, comments.
// Keeps the lines of every entry, so that one can be replaced and the rest of the text stays as it is. What
// it does not know (anchors, tags, folded texts) is an error; the server reads those.

export interface Entry {
  key: string;
  value: Value;
  /** Lines, counted from 0; `to` is behind the last one. */
  from: number;
  to: number;
  indent: number;
}
export interface Bag {
  entries: Entry[];
  /** One entry a line, not in braces. */
  isBlock: boolean;
}
export type Value = string | Value[] | Bag;

export class YamlError extends Error {
  constructor(
    /** Counted from 0. */
    readonly line: number,
    reason: string,
  ) {
    super(`line ${line + 1}: ${reason}`);
  }
}

export const isBag = (value: Value | undefined): value is Bag =>
  typeof value === "object" && !Array.isArray(value);

export const entryOf = (bag: Value | undefined, key: string): Entry | undefined =>
  isBag(bag) ? bag.entries.find((entry) => entry.key === key) : undefined;

interface Line {
  /** Its number in the file. */
  at: number;
  indent: number;
  text: string;
}

/** The text before a comment; quotes hide the `#`. */
function withoutComment(text: string): string {
  const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/y;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "#" && (i === 0 || /\s/.test(text[i - 1]!))) {
      return text.slice(0, i).trimEnd();
    }
    quoted.lastIndex = i;
    const isStart = i === 0 || /[\s,:[{]/.test(text[i - 1]!);
    if (isStart && quoted.test(text)) {
      i = quoted.lastIndex - 1;
    }
  }
  return text.trimEnd();
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  text.split("\n").forEach((raw, at) => {
    const bare = withoutComment(raw.replace(/\r$/, ""));
    const body = bare.trimStart();
    if (body === "" || (body === "---" && lines.length === 0)) {
      return;
    }
    if (/^ *\t/.test(bare)) {
      throw new YamlError(at, "it is indented with tabs");
    }
    lines.push({ at, indent: bare.length - body.length, text: body });
  });
  return lines;
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", '"': '"', "\\": "\\", "/": "/" };

function unquote(text: string, line: number): string {
  if (text.startsWith("'")) {
    return text.slice(1, -1).replaceAll("''", "'");
  }
  return text.slice(1, -1).replace(/\\(.)/gs, (_, letter: string) => {
    const known = ESCAPES[letter];
    if (known === undefined) {
      throw new YamlError(line, `“\\${letter}” is not known here`);
    }
    return known;
  });
}

/** Reads a value on one line: in brackets, or a text. */
class FlowReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly line: number,
  ) {}

  whole(): Value {
    const value = this.value(false);
    this.space();
    if (this.at < this.text.length) {
      this.fail(`“${this.text.slice(this.at)}” is not expected`);
    }
    return value;
  }

  private fail(reason: string): never {
    throw new YamlError(this.line, reason);
  }

  private space(): void {
    while (this.text[this.at] === " ") {
      this.at++;
    }
  }

  private take(mark: string): boolean {
    this.space();
    const isThere = this.text[this.at] === mark;
    this.at += isThere ? 1 : 0;
    return isThere;
  }

  private scalar(isInside: boolean): string {
    this.space();
    const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/y;
    quoted.lastIndex = this.at;
    const found = quoted.exec(this.text);
    if (found !== null) {
      this.at = quoted.lastIndex;
      return unquote(found[0], this.line);
    }
    if (/[&*!|>%@`"'?]/.test(this.text[this.at] ?? "")) {
      this.fail(`a text that begins with “${this.text[this.at]}” is not known here`);
    }
    const end = isInside ? /\s*(?:[,\]}]|:(?=\s)|$)/g : /\s*$/g;
    end.lastIndex = this.at;
    const stop = end.exec(this.text)?.index ?? this.text.length;
    const plain = this.text.slice(this.at, stop);
    this.at = stop;
    return plain;
  }

  private value(isInside: boolean): Value {
    if (this.take("[")) {
      return this.list();
    }
    return this.take("{") ? this.bag() : this.scalar(isInside);
  }

  private list(): Value[] {
    const items: Value[] = [];
    while (!this.take("]")) {
      items.push(this.value(true));
      if (!this.take(",") && this.text[this.at] !== "]") {
        this.fail("a list has no “]”");
      }
    }
    return items;
  }

  private bag(): Bag {
    const entries: Entry[] = [];
    while (!this.take("}")) {
      const key = this.scalar(true);
      if (!this.take(":")) {
        this.fail(`“${key}” has no value`);
      }
      const value = this.value(true);
      entries.push({ key, value, from: this.line, to: this.line + 1, indent: 0 });
      if (!this.take(",") && this.text[this.at] !== "}") {
        this.fail("a bag has no “}”");
      }
    }
    return { entries: checked(entries), isBlock: false };
  }
}

function checked(entries: Entry[]): Entry[] {
  const known = new Set<string>();
  for (const { key, from } of entries) {
    if (known.has(key)) {
      throw new YamlError(from, `“${key}” is there twice`);
    }
    known.add(key);
  }
  return entries;
}

/** Brackets that are open at the end of a text. */
function depthOf(text: string): number {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g, "");
  return [...bare].reduce(
    (depth, mark) => depth + ("[{".includes(mark) ? 1 : "]}".includes(mark) ? -1 : 0),
    0,
  );
}

class BlockReader {
  private next = 0;

  constructor(private readonly lines: Line[]) {}

  root(): Bag {
    const first = this.lines[0];
    if (first === undefined) {
      return { entries: [], isBlock: true };
    }
    const value = this.block(first.indent);
    const left = this.lines[this.next];
    if (left !== undefined) {
      throw new YamlError(left.at, "it is indented less than the first line");
    }
    if (!isBag(value)) {
      throw new YamlError(first.at, "expected keys with values");
    }
    return value;
  }

  private block(indent: number): Value {
    const first = this.lines[this.next]!;
    if (/^-(\s|$)/.test(first.text)) {
      return this.list(indent);
    }
    return /^[[{]/.test(first.text) ? this.flow(first, first.text) : this.bag(indent);
  }

  /** A value that begins in a line and may go on in those below. */
  private flow(line: Line, begin: string): Value {
    let text = begin;
    this.next++;
    if (/^[[{]/.test(begin)) {
      while (depthOf(text) > 0 && this.next < this.lines.length) {
        text += ` ${this.lines[this.next++]!.text}`;
      }
    }
    return new FlowReader(text, line.at).whole();
  }

  private list(indent: number): Value[] {
    const items: Value[] = [];
    for (let line = this.lines[this.next]; line?.indent === indent; line = this.lines[this.next]) {
      const item = /^-\s+(.*)$/.exec(line.text)?.[1];
      if (item === undefined) {
        break;
      }
      if (/^(- |[\w.-]+:(\s|$))/.test(item)) {
        throw new YamlError(line.at, "an item of several lines is not known here");
      }
      items.push(this.flow(line, item));
    }
    return items;
  }

  private bag(indent: number): Bag {
    const entries: Entry[] = [];
    for (let line = this.lines[this.next]; line?.indent === indent; line = this.lines[this.next]) {
      entries.push(this.entry(line));
    }
    const deeper = this.lines[this.next];
    if (deeper !== undefined && deeper.indent > indent) {
      throw new YamlError(deeper.at, "it is indented more than the line above");
    }
    return { entries: checked(entries), isBlock: true };
  }

  private entry(line: Line): Entry {
    const found =
      /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[\]{},&*!|>?-][^:]*?)\s*:(?:\s+(.*))?$/.exec(
        line.text,
      );
    if (found === null) {
      throw new YamlError(line.at, "expected “key: value”");
    }
    const key = /^["']/.test(found[1]!) ? unquote(found[1]!, line.at) : found[1]!;
    const value = this.valueOf(line, found[2] ?? "");
    const to = this.lines[this.next - 1]!.at + 1;
    return { key, value, from: line.at, to, indent: line.indent };
  }

  private valueOf(line: Line, text: string): Value {
    if (text !== "") {
      return this.flow(line, text);
    }
    const below = this.lines[++this.next];
    const isList = below !== undefined && /^-(\s|$)/.test(below.text);
    if (below === undefined || below.indent < line.indent + (isList ? 0 : 1)) {
      return "";
    }
    return this.block(below.indent);
  }
}

/** @throws YamlError  of the first line that it cannot read */
export function readYaml(text: string): Bag {
  return new BlockReader(splitLines(text)).root();
}
