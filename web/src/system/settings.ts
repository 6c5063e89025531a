// Settings: properties of components, how people write their values, and how they are set.
import type { Cockpit } from "./cockpit";
import type { ComponentInfo, PropertyInfo } from "./components";

/** How a property is edited; `fixed`: only in the deployment. */
export type Editor = "switch" | "choice" | "number" | "text" | "list" | "fixed";

export function editorOf({ kind, choices, path, value }: PropertyInfo): Editor {
  if (path === true || value === null || value === undefined) {
    return "fixed";
  }
  switch (kind) {
    case "true or false":
      return "switch";
    case "integer":
    case "real number":
      return "number";
    case "text":
      return choices === undefined ? "text" : "choice";
    case "list of real numbers":
    case "list of texts":
      return "list";
    default:
      return "fixed";
  }
}

/** A value that cannot be edited, for people. */
export const fixedText = (value: unknown): string =>
  value === null ||
  value === undefined ||
  value === "" ||
  (Array.isArray(value) && value.length === 0)
    ? "none"
    : textOf(value);

/** A value for people. */
export const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value) && value.every((item) => typeof item !== "object")
      ? value.join(", ")
      : JSON.stringify(value);

const number = (text: string): number =>
  text.trim() === "" ? NaN : Number(text.trim().replace("−", "-"));

/** The value that a text means. @return its error if it means none */
export function valueOf(property: PropertyInfo, text: string): { value: unknown } | string {
  switch (editorOf(property)) {
    case "number": {
      const value = number(text);
      return Number.isFinite(value) ? { value } : `“${text.slice(0, 20)}” is not a number`;
    }
    case "list": {
      const items = text.split(",").map((item) => item.trim());
      const filled = items.length === 1 && items[0] === "" ? [] : items;
      if (property.kind !== "list of real numbers") {
        return { value: filled };
      }
      const numbers = filled.map(number);
      const bad = filled.find((_, i) => !Number.isFinite(numbers[i]));
      return bad === undefined ? { value: numbers } : `“${bad.slice(0, 20)}” is not a number`;
    }
    default:
      return { value: text };
  }
}

/** Range and unit, such as `0 … 60 s`. */
export function rangeOf({ min, max, unit = "" }: PropertyInfo): string {
  const range = min === undefined || max === undefined ? "" : `${min} … ${max}`;
  return [range, unit].filter((part) => part !== "" && part !== "–").join(" ");
}

/** Whether setting it needs a restart of the component. */
export const needsRestart = (component: ComponentInfo, { live }: PropertyInfo): boolean =>
  live !== true && component.state === "running";

/** Set a property. @return why it was refused, or "" */
export const apply = (
  cockpit: Cockpit,
  { name }: ComponentInfo,
  property: string,
  value: unknown,
): Promise<string> => cockpit.client.setParameter(`${name}.${property}`, value);

/** Stop the component, set a property and start it again; if it does not start, with the previous value.
 *  @return why it was refused, or "" */
export async function applyByRestart(
  cockpit: Cockpit,
  component: ComponentInfo,
  property: string,
  value: unknown,
): Promise<string> {
  const before = component.properties.find(({ name }) => name === property)?.value;
  const start = () => cockpit.request(component, "start");
  const stopped = await cockpit.request(component, "stop");
  if (stopped !== "") {
    return stopped;
  }
  let failure = await apply(cockpit, component, property, value);
  if (failure === "") {
    failure = await start();
    if (failure === "") {
      return "";
    }
    await apply(cockpit, component, property, before);
  }
  const again = await start();
  return again === "" ? failure : `${failure}. ${component.name} does not run: ${again}`;
}
