// Limits of joints: those of the robot, and smaller ones.
import { fixed } from "../system/curves";
import { FREE } from "../system/limits";
import { h, replaceRows, toggle, wordBreaks } from "../ui/dom";
import { LIMIT_KEYS, setLimit } from "./properties";
import { note, refusalNote } from "./rows";
import type { Setup } from "./setup";

type Key = (typeof LIMIT_KEYS)[number];
const TITLES: Record<Key, string> = { lower: "Lowest", upper: "Highest", velocity: "Speed" };

export class LimitsCard {
  readonly element: HTMLElement;
  private readonly rows = h("tbody", {});

  constructor(private readonly setup: Setup) {
    const title = (text: string) => h("th", { scope: "col" }, text);
    this.element = h(
      "section",
      { class: "card", id: "setup-limits" },
      h("h3", {}, "Limits"),
      note(
        "quiet",
        "In grey those of the robot, in rad or m and per second. Smaller ones can be set.",
      ),
      h(
        "table",
        { class: "data setup-limits" },
        h("thead", {}, h("tr", {}, title("Joint"), ...LIMIT_KEYS.map((key) => title(TITLES[key])))),
        this.rows,
      ),
    );
  }

  update(canEdit: boolean): void {
    const { joints } = this.setup.cockpit;
    toggle(this.element, joints.length > 0);
    replaceRows(
      this.rows,
      "setup",
      joints.flatMap((joint) => this.row(joint, canEdit)),
    );
  }

  private row(joint: string, canEdit: boolean): HTMLElement[] {
    const { cockpit, properties } = this.setup;
    const { isBounded } = cockpit.limits.get(joint) ?? FREE;
    const cells = LIMIT_KEYS.map((key) =>
      h("td", {}, key === "velocity" || isBounded ? this.input(joint, key, canEdit) : "—"),
    );
    const reason = refusalNote(this.setup, ["joint_limits"], joint) ?? this.warning(joint);
    return [
      h("tr", {}, h("th", { scope: "row" }, ...wordBreaks(joint)), ...cells),
      ...(reason && properties.limits.has(joint)
        ? [h("tr", {}, h("td", { colspan: 1 + LIMIT_KEYS.length }, reason))]
        : []),
    ];
  }

  /** A robot does not start outside of its limits. */
  private warning(joint: string): HTMLElement | undefined {
    const { lower = -Infinity, upper = Infinity } = this.setup.properties.limits.get(joint) ?? {};
    const at = this.setup.cockpit.desired.positionOf(joint);
    return at === undefined || (at >= lower && at <= upper)
      ? undefined
      : note("bad", `The joint is at ${fixed(at, 3)}: move it within before you start again.`);
  }

  private input(joint: string, key: Key, canEdit: boolean): HTMLElement {
    const stated = (this.setup.cockpit.limits.get(joint) ?? FREE)[key];
    const value = this.setup.properties.limits.get(joint)?.[key];
    const input = h("input", {
      type: "text",
      inputmode: "decimal",
      value: value === undefined ? "" : String(value),
      placeholder: stated === undefined ? "—" : String(Math.round(stated * 1e4) / 1e4),
      autocomplete: "off",
      "aria-label": `${TITLES[key]} of ${joint}`,
      "data-setup": `${joint} ${key}`,
      disabled: !canEdit,
    });
    input.addEventListener("change", () => {
      const text = input.value.trim();
      const number = Number(text);
      input.setCustomValidity(Number.isFinite(number) ? "" : `“${text}” is not a number`);
      if (input.reportValidity()) {
        this.setup.edit((now) => setLimit(now, joint, key, text === "" ? undefined : number));
      }
    });
    return input;
  }
}
