// Parses message definitions (`ros2msg`) into trees of fields, which cdr.ts uses.

export type Primitive =
  | "bool"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float32"
  | "float64"
  | "string";

export interface Field {
  name: string;
  type: Primitive | Struct;
  /** Absent: one value. A number: a fixed-size array. "sequence": any length. */
  array?: number | "sequence";
}

export interface Struct {
  name: string;
  fields: Field[];
}

const PRIMITIVES: Record<string, Primitive> = {
  bool: "bool",
  boolean: "bool",
  byte: "uint8",
  char: "uint8",
  octet: "uint8",
  int8: "int8",
  uint8: "uint8",
  int16: "int16",
  uint16: "uint16",
  int32: "int32",
  uint32: "uint32",
  int64: "int64",
  uint64: "uint64",
  float: "float32",
  double: "float64",
  float32: "float32",
  float64: "float64",
  string: "string",
  wstring: "string",
};

const TIME: Struct = {
  name: "builtin_interfaces/Time",
  fields: [
    { name: "sec", type: "int32" },
    { name: "nanosec", type: "uint32" },
  ],
};
const BUILTIN: Record<string, Struct> = {
  time: TIME,
  duration: { ...TIME, name: "builtin_interfaces/Duration" },
  "builtin_interfaces/Time": TIME,
  "builtin_interfaces/Duration": { ...TIME, name: "builtin_interfaces/Duration" },
};

const LINE =
  /^([A-Za-z][\w/]*)(?:<=\d+)?(\[(?:(<=)?(\d*))?\])?\s+([A-Za-z]\w*)\s*(=)?(?:\s*[^=].*)?$/;

/** `pkg/msg/Type` and `pkg/Type` are the same. */
function shortName(name: string): string {
  return name.replace("/msg/", "/");
}

function withoutComment(line: string): string {
  const at = line.indexOf("#");
  return (at < 0 ? line : line.slice(0, at)).trim();
}

interface Section {
  name: string;
  lines: string[];
}

function split(name: string, text: string): Section[] {
  const sections: Section[] = [{ name: shortName(name), lines: [] }];
  let isHeading = false;
  for (const raw of text.split("\n")) {
    const line = withoutComment(raw);
    if (/^={3,}$/.test(line)) {
      isHeading = true;
    } else if (isHeading && line.startsWith("MSG:")) {
      sections.push({ name: shortName(line.slice(4).trim()), lines: [] });
      isHeading = false;
    } else if (line !== "") {
      sections[sections.length - 1]!.lines.push(line);
    }
  }
  return sections;
}

/** The root type of a definition. Throws with the line that cannot be parsed. */
export function parseSchema(name: string, text: string): Struct {
  const sections = split(name, text);
  const types = new Map<string, Struct>(Object.entries(BUILTIN));
  for (const section of sections) {
    types.set(section.name, { name: section.name, fields: [] });
  }
  const find = (type: string, from: string): Primitive | Struct => {
    const here = from.slice(0, from.lastIndexOf("/") + 1);
    const found =
      PRIMITIVES[type] ??
      types.get(shortName(type)) ??
      types.get(here + type) ??
      (type === "Header" ? types.get("std_msgs/Header") : undefined);
    if (found === undefined) {
      throw new Error(`${from}: unknown type '${type}'`);
    }
    return found;
  };
  for (const section of sections) {
    const struct = types.get(section.name)!;
    for (const line of section.lines) {
      const match = LINE.exec(line);
      if (match === null) {
        throw new Error(`${section.name}: invalid field '${line}'`);
      }
      const [, type, brackets, bound, size, field, constant] = match;
      if (constant !== undefined) {
        continue;
      }
      const entry: Field = { name: field!, type: find(type!, section.name) };
      if (brackets !== undefined) {
        entry.array = bound === undefined && size ? Number(size) : "sequence";
      }
      struct.fields.push(entry);
    }
  }
  return types.get(sections[0]!.name)!;
}
