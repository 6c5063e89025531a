// One joint: its name, a slider with its limits, a number field, the measured position.
import type { Cockpit } from "../system/cockpit";
import type { Limits } from "../system/limits";
import type { Sliders } from "../system/sliders";
import { h, setText, wordBreaks } from "../ui/dom";
import type { Units } from "./units";

/** What a row needs from its panel. */
export interface JointHost {
  readonly cockpit: Cockpit;
  readonly sliders: Sliders;
  readonly units: Units;
  plot(joint: string): void;
  move(limb: string, joint: string, value: number): void;
  /** Show a hint below a row. */
  hint(row: JointRow, text: string): void;
  /** The user touched a joint that cannot be moved now. */
  explain(row: JointRow): void;
}

export class JointRow {
  readonly element: HTMLElement;
  private readonly range: HTMLInputElement;
  private readonly entry: HTMLInputElement;
  private readonly measured: HTMLElement;
  private readonly track: HTMLElement;
  private readonly lower = h("span", { class: "limit" });
  private readonly upper = h("span", { class: "limit" });
  private shown = NaN;
  private shownMeasured = NaN;
  /** The field has text that the user has not entered yet. */
  private isTyped = false;

  constructor(
    private readonly host: JointHost,
    readonly limb: string,
    readonly joint: string,
    label: string,
    private readonly limits: Limits,
  ) {
    this.range = h("input", {
      type: "range",
      min: limits.lower,
      max: limits.upper,
      step: "any",
      value: 0,
      "aria-label": joint,
      "data-joint": joint,
      oninput: () => this.set(this.range.valueAsNumber),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    });
    this.entry = h("input", {
      type: "text",
      inputmode: "decimal",
      class: "number",
      autocomplete: "off",
      "aria-label": `${joint}, value`,
      onfocus: () => this.entry.select(),
      oninput: () => this.type(),
      onblur: () => this.endEdit(),
      onkeydown: (event: KeyboardEvent) => this.editKey(event),
    });
    this.measured = h("output", { class: "number quiet", "aria-label": `${joint}, measured` });
    this.track = h("div", { class: "track" }, this.lower, this.upper, this.range);
    const name = h("button", {
      class: "name",
      type: "button",
      title: `Show plots of ${joint}`,
    });
    name.append(...wordBreaks(label));
    name.addEventListener("click", () => host.plot(joint));
    this.element = h(
      "div",
      { class: "joint", role: "group", "aria-label": joint },
      name,
      this.track,
      this.entry,
      this.measured,
    );
    // Disabled elements get no events; the elements around them do.
    this.element.addEventListener("pointerdown", (event) => {
      if (this.range.disabled && !name.contains(event.target as Node)) {
        host.explain(this);
      }
    });
    this.redraw();
  }

  private set(value: number): number {
    const inside = Math.min(this.limits.upper, Math.max(this.limits.lower, value));
    this.host.move(this.limb, this.joint, inside);
    return inside;
  }

  private key(event: KeyboardEvent): void {
    const range = this.limits.upper - this.limits.lower;
    const step = (event.shiftKey ? 0.1 : 0.01) * range;
    const steps: Record<string, number> = {
      ArrowRight: step,
      ArrowUp: step,
      ArrowLeft: -step,
      ArrowDown: -step,
      PageUp: 0.1 * range,
      PageDown: -0.1 * range,
    };
    const by = steps[event.key];
    if (by !== undefined) {
      event.preventDefault();
      this.set((this.host.sliders.value(this.joint) ?? 0) + by);
    }
  }

  // ---- number field ----

  private type(): void {
    this.isTyped = true;
    this.entry.removeAttribute("aria-invalid");
  }

  private editKey(event: KeyboardEvent): void {
    if (event.key === "Enter") {
      this.enter();
    } else if (event.key === "Escape") {
      this.endEdit();
      this.range.focus();
    }
  }

  private enter(): void {
    const { units } = this.host;
    const { isAngle } = this.limits;
    const text = this.entry.value.trim();
    const value = Number(text.replace(",", ".").replace("−", "-"));
    const isNumber = text !== "" && Number.isFinite(value);
    this.isTyped = false;
    if (isNumber) {
      const wanted = units.toSi(value, isAngle);
      const inside = this.set(wanted);
      if (Math.abs(inside - wanted) > 1e-9) {
        this.host.hint(this, `The limit is ${units.textWithUnit(inside, isAngle)}.`);
      }
    } else {
      const example = units.text(this.host.sliders.value(this.joint) ?? 0, isAngle);
      this.host.hint(
        this,
        `“${text.slice(0, 20)}” is not a number. Type a value in ${units.nameOf(isAngle)}, such as ${example}.`,
      );
    }
    this.redraw();
    this.entry.setAttribute("aria-invalid", String(!isNumber));
    this.entry.select();
  }

  private endEdit(): void {
    this.isTyped = false;
    this.entry.removeAttribute("aria-invalid");
    this.redraw();
  }

  // ---- display ----

  /** Redraw everything after a change of units. */
  redraw(): void {
    const { units } = this.host;
    const { lower, upper, isAngle, isBounded } = this.limits;
    setText(this.lower, isBounded ? units.text(lower, isAngle, 2) : "");
    setText(this.upper, isBounded ? units.text(upper, isAngle, 2) : "");
    this.shown = this.shownMeasured = NaN;
    this.update();
  }

  /** @param reason  why it cannot be moved; "": it can */
  setEnabled(reason: string): void {
    const { units } = this.host;
    const { lower, upper, isAngle, isBounded } = this.limits;
    const range = isBounded
      ? `${this.joint}: ${units.text(lower, isAngle)} to ${units.textWithUnit(upper, isAngle)}`
      : `${this.joint}: no limits`;
    this.range.disabled = this.entry.disabled = reason !== "";
    this.track.title = reason === "" ? range : `${range}\n${reason}`;
    this.entry.title = reason === "" ? "Type a value and press Enter" : reason;
  }

  update(): void {
    const { sliders, units, cockpit } = this.host;
    const { lower, upper, isAngle } = this.limits;
    const value = sliders.value(this.joint);
    if (value !== undefined && value !== this.shown) {
      this.shown = value;
      this.range.valueAsNumber = value;
      this.range.setAttribute("aria-valuetext", units.textWithUnit(value, isAngle));
      this.showValue(units.text(value, isAngle));
    }
    const measured = cockpit.measured.positionOf(this.joint);
    if (measured !== undefined && Math.abs(measured - this.shownMeasured) < 1e-5) {
      return;
    }
    this.shownMeasured = measured ?? NaN;
    this.track.classList.toggle("has-measured", measured !== undefined);
    setText(this.measured, measured === undefined ? "" : units.text(measured, isAngle));
    if (measured !== undefined) {
      const part = (measured - lower) / (upper - lower);
      this.track.style.setProperty("--measured", String(Math.min(1, Math.max(0, part))));
    }
  }

  /** Show the commanded value unless the user is typing. */
  private showValue(text: string): void {
    if (this.isTyped || this.entry.value === text) {
      return;
    }
    const isFocused = document.activeElement === this.entry;
    this.entry.value = text;
    if (isFocused) {
      this.entry.select();
    }
  }
}
