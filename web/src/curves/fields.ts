// Numbers in a message, by path: `battery.voltage`, `pose[2].position.x`, and by name where the message has names:
// `position[leg1_joint4]`, so that a choice outlives a change of their order.
import type { Message, Value } from "../foxglove/cdr";
import type { Field, Struct } from "../foxglove/schema";
import { unitOf, unitOfPath } from "./field_units";

export interface Leaf {
  path: string;
  /** The array that it is an element of; "" if none. */
  group: string;
  /** In SI units; "": unknown or none. */
  unit: string;
}

const LEAVES_MAX = 2000;
/** Fields that name the elements of the arrays beside them. */
const NAMES = ["name", "names", "joint_names", "resources"];

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value);

const isList = (value: unknown): value is ArrayLike<Value> =>
  Array.isArray(value) || value instanceof Float64Array;

function distinct(names: unknown[], count: number): string[] | undefined {
  const good = names.filter((name) => typeof name === "string" && /^[^\]]+$/.test(name));
  return good.length === count && new Set(good).size === count ? (good as string[]) : undefined;
}

/** Names of the elements of an array: their own, or those beside it. */
function namesOf(message: Message, items: ArrayLike<Value>): string[] | undefined {
  if (isMessage(items[0])) {
    const own = distinct(
      Array.from(items, (item) => (item as Message)["name"]),
      items.length,
    );
    if (own !== undefined) {
      return own;
    }
  }
  for (const field of NAMES) {
    const list = message[field];
    const found = isList(list) ? distinct(Array.from(list), items.length) : undefined;
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

class Walk {
  readonly leaves: Leaf[] = [];

  private addOne(
    owner: Struct,
    { name, type }: Field,
    value: Value | undefined,
    path: string,
    group: string,
  ): void {
    if (typeof type !== "string") {
      this.struct(type, isMessage(value) ? value : {}, `${path}.`, group);
    } else if (type !== "string" && this.leaves.length < LEAVES_MAX) {
      this.leaves.push({ path, group, unit: unitOfPath(path, unitOf(owner.name, name)) });
    }
  }

  struct(type: Struct, message: Message, prefix: string, group: string): void {
    for (const field of type.fields) {
      const path = `${prefix}${field.name}`;
      const value = message[field.name];
      if (/^builtin_interfaces\//.test(typeof field.type === "string" ? "" : field.type.name)) {
        continue; // times are on the other axis
      }
      if (field.array === undefined) {
        this.addOne(type, field, value, path, group);
        continue;
      }
      const items = isList(value) ? value : [];
      const count = typeof field.array === "number" ? field.array : items.length;
      const names = namesOf(message, items);
      for (let i = 0; i < count; i++) {
        this.addOne(type, field, items[i], `${path}[${names?.[i] ?? i}]`, path);
      }
    }
  }
}

/** The numbers of a type. How many elements an array has is known from a message only.
 *  @param message  the latest one, if there is any */
export function listFields(type: Struct, message?: Message): Leaf[] {
  const walk = new Walk();
  walk.struct(type, message ?? {}, "", "");
  return walk.leaves;
}

/** The type of a JSON message, as far as the message shows it. */
export function inferType(message: Message, name = ""): Struct {
  const typeOf = (value: Value | undefined): Field["type"] | undefined => {
    switch (typeof value) {
      case "number":
        return "float64";
      case "boolean":
        return "bool";
      case "object":
        return isMessage(value) ? inferType(value) : undefined;
      default:
        return undefined;
    }
  };
  const fields = Object.entries(message).flatMap(([key, value]): Field[] => {
    const type = typeOf(isList(value) ? value[0] : value);
    return type === undefined
      ? []
      : [{ name: key, type, ...(isList(value) && { array: "sequence" as const }) }];
  });
  return { name, fields };
}

type Step = { field: string } | { element: string };

function split(path: string): Step[] {
  return [...path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, element, field]) =>
    element === undefined ? { field: field! } : { element },
  );
}

function elementOf(owner: Message, items: Value | undefined, key: string): Value | undefined {
  if (!isList(items)) {
    return undefined;
  }
  const at = namesOf(owner, items)?.indexOf(key) ?? -1;
  return at >= 0 ? items[at] : /^\d+$/.test(key) ? items[Number(key)] : undefined;
}

/** A function that reads the number at a path; NaN if the message has none there. */
export function reader(path: string): (message: Message) => number {
  const steps = split(path);
  return (message) => {
    let owner = message;
    let value: Value | undefined = message;
    for (const step of steps) {
      if ("element" in step) {
        value = elementOf(owner, value, step.element);
      } else {
        owner = isMessage(value) ? value : {};
        value = owner[step.field];
      }
    }
    return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
      ? Number(value)
      : NaN;
  };
}
