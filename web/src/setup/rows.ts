// Parts of the rows of the setup page.
import { h } from "../ui/dom";
import type { Setup } from "./setup";

/** A control with its label above.
 *  @param of  what it belongs to, for those who do not see the row */
export function field(label: string, control: HTMLElement, of = ""): HTMLElement {
  control.setAttribute("aria-label", of === "" ? label : `${label} of ${of}`);
  return h("label", { class: "setup-field" }, h("span", { class: "quiet" }, label), control);
}

export const note = (kind: "quiet" | "bad", text: string): HTMLElement =>
  h("p", { class: `setup-note ${kind}` }, text);

/** A field with text that is not entered yet. */
export function isBeingEdited(field: Element | null): boolean {
  return field instanceof HTMLInputElement && field.value !== field.defaultValue;
}

/** Why the server refused the text, if that is about this entry. */
export function refusalNote(
  setup: Setup,
  sections: string[],
  name: string,
): HTMLElement | undefined {
  const [section, entry] = setup.refusedAt;
  if (section === undefined || !sections.includes(section) || entry !== name) {
    return undefined;
  }
  const reason = note("bad", setup.refusal);
  reason.setAttribute("role", "alert");
  return reason;
}
