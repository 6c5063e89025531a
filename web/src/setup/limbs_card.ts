// Limbs: which links they go from and to, what touches the ground or the work, which one grips.
import { freeName } from "../system/collision";
import { h, replaceRows, setText, toggle } from "../ui/dom";
import {
  addLimb,
  changeLimb,
  type LimbEntry,
  removeLimb,
  renameLimb,
  setContact,
} from "./properties";
import { field, note, refusalNote } from "./rows";
import type { Setup } from "./setup";

/** The component Gripper moves the first limb whose name ends so. */
const GRIPPER = "gripper";
const NEW_CONTACT = " new"; // no name begins with a space

export const isGripper = ({ name }: LimbEntry): boolean => name.endsWith(GRIPPER);

/** Changes of names that make one limb the gripper, and no other; "": none. */
export function gripperNames(limbs: LimbEntry[], chosen: string): Map<string, string> {
  const names = limbs.map(({ name }) => name);
  const renamed = new Map<string, string>();
  for (const limb of limbs.filter(isGripper)) {
    if (limb.name !== chosen) {
      const bare = limb.name.slice(0, -GRIPPER.length).replace(/[_-]$/, "") || "hand";
      renamed.set(limb.name, names.includes(bare) ? freeName(bare, names) : bare);
    }
  }
  if (chosen !== "" && !chosen.endsWith(GRIPPER)) {
    const taken = names.filter((name) => !renamed.has(name));
    renamed.set(chosen, taken.includes(GRIPPER) ? `${chosen}_${GRIPPER}` : GRIPPER);
  }
  return renamed;
}

export class LimbsCard {
  readonly element: HTMLElement;
  private readonly about = h("p", { class: "quiet" });
  private readonly list = h("ul", { class: "setup-rows", "aria-label": "Limbs" });
  private readonly gripper = h("select", { id: "setup-gripper", "data-setup": "gripper" });
  private readonly add = h("button", { type: "button", class: "small" }, "Add a limb");

  constructor(private readonly setup: Setup) {
    this.gripper.addEventListener("change", () => this.chooseGripper(this.gripper.value));
    this.add.addEventListener("click", () => this.addOne());
    this.element = h(
      "section",
      { class: "card", id: "setup-limbs" },
      h("h3", {}, "Limbs"),
      this.about,
      this.list,
      h("div", { class: "row" }, this.add),
      field("Gripper", this.gripper),
    );
  }

  update(canEdit: boolean): void {
    const { setup } = this;
    const { limbs } = setup;
    const isFound = setup.properties.limbs === undefined;
    setText(
      this.about,
      isFound
        ? "Found in the robot. The file gets all of them with the first change."
        : "As the file states them.",
    );
    replaceRows(
      this.list,
      "setup",
      limbs.map((limb) => this.row(limb, canEdit)),
    );
    const names = limbs.map(({ name }) => h("option", { value: name }, name));
    this.gripper.replaceChildren(h("option", { value: "" }, "none"), ...names);
    this.gripper.value = limbs.find(isGripper)?.name ?? "";
    this.gripper.title = "The component Gripper moves the limb whose name ends in “gripper”";
    this.gripper.disabled = this.add.disabled = !canEdit;
    toggle(this.element, setup.tree !== undefined);
  }

  private chooseGripper(chosen: string): void {
    const names = gripperNames(this.setup.limbs, chosen);
    this.setup.editLimbs((text) =>
      [...names].reduce((now, [name, next]) => renameLimb(now, name, next), text),
    );
  }

  private addOne(): void {
    const { tree, limbs } = this.setup;
    const first = tree?.links[0]?.name ?? "";
    const last = tree?.below(first).at(-1)?.name ?? "";
    const name = freeName(
      "limb",
      limbs.map((limb) => limb.name),
    );
    this.setup.editLimbs((text) => addLimb(text, { name, first, last, contact: "" }));
  }

  private change(limb: LimbEntry, changes: Partial<LimbEntry>): void {
    this.setup.editLimbs((text) => changeLimb(text, limb, { ...limb, ...changes }));
  }

  private links(limb: LimbEntry, end: "first" | "last", canEdit: boolean): HTMLElement {
    const { tree } = this.setup;
    const links = (end === "first" ? tree?.links : tree?.below(limb.first)) ?? [];
    const select = h("select", {
      "data-setup": `${limb.name} ${end}`,
      disabled: !canEdit,
    });
    // One that does not fit is shown, too: the reason is below.
    const isKnown = links.some(({ name }) => name === limb[end]);
    const shown = isKnown ? links : [{ name: limb[end], depth: 0 }, ...links];
    select.append(
      ...shown.map(({ name, depth }) => h("option", { value: name }, "\u2007".repeat(depth), name)),
    );
    select.value = limb[end];
    select.addEventListener("change", () => this.change(limb, { [end]: select.value }));
    return field(end === "first" ? "From" : "Tip", select, limb.name);
  }

  private contact(limb: LimbEntry, canEdit: boolean): HTMLElement {
    const { properties, contacts, found } = this.setup;
    const ofRobot = properties.limbs === undefined ? found.map(({ contact }) => contact) : [];
    const names = new Set(
      [...properties.contacts, ...ofRobot, limb.contact].filter((name) => name !== ""),
    );
    const select = h(
      "select",
      { "data-setup": `${limb.name} contact`, disabled: !canEdit },
      h("option", { value: "" }, "none"),
      ...[...names].map((name) =>
        h("option", { value: name }, `${name}${pointsOf(contacts, name)}`),
      ),
      h("option", { value: NEW_CONTACT }, "new: a point at the tip"),
    );
    select.value = limb.contact;
    select.addEventListener("change", () => this.setContact(limb, select.value, [...names]));
    return field("Contact", select, limb.name);
  }

  private setContact(limb: LimbEntry, chosen: string, taken: string[]): void {
    if (chosen !== NEW_CONTACT) {
      this.change(limb, { contact: chosen });
      return;
    }
    const contact = freeName(`${limb.name}_tip`, taken);
    this.setup.editLimbs((text) =>
      changeLimb(setContact(text, contact, [[0, 0, 0]]), limb, { ...limb, contact }),
    );
  }

  private rename(limb: LimbEntry, input: HTMLInputElement): void {
    const name = input.value.trim();
    const isTaken = this.setup.limbs.some((other) => other !== limb && other.name === name);
    input.setCustomValidity(
      name === "" ? "A limb needs a name" : isTaken ? `There is a limb “${name}” already` : "",
    );
    if (input.reportValidity() && name !== limb.name) {
      this.setup.editLimbs((text) => renameLimb(text, limb.name, name));
    }
  }

  private row(limb: LimbEntry, canEdit: boolean): HTMLElement {
    const input = h("input", {
      type: "text",
      value: limb.name,
      autocomplete: "off",
      "data-setup": `${limb.name} name`,
      disabled: !canEdit,
    });
    input.addEventListener("change", () => this.rename(limb, input));
    const remove = h("button", { type: "button", class: "small plain", disabled: !canEdit }, "×");
    remove.setAttribute("aria-label", `Remove the limb ${limb.name}`);
    remove.title = `Remove the limb ${limb.name}`;
    remove.addEventListener("click", () =>
      this.setup.editLimbs((text) => removeLimb(text, limb.name)),
    );
    const joints = this.setup.tree?.joints(limb.first, limb.last);
    return h(
      "li",
      { "data-limb-row": limb.name },
      field("Name", input, limb.name),
      remove,
      this.links(limb, "first", canEdit),
      this.links(limb, "last", canEdit),
      this.contact(limb, canEdit),
      joints === undefined
        ? note("bad", "The tip is not below the first link.")
        : note("quiet", joints.length === 0 ? "no joint moves it" : joints.join(", ")),
      refusalNote(this.setup, ["kinematics_chains", "chains"], limb.name),
    );
  }
}

function pointsOf(contacts: Map<string, number[][]>, name: string): string {
  const count = contacts.get(name)?.length;
  return count === undefined ? "" : count === 1 ? " (1 point)" : ` (${count} points)`;
}
