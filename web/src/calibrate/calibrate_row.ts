// One joint of a calibration: where it is, how far it was moved, and what the drawing allows.
import type { Limits } from "../system/limits";
import { h, setText, toggle, wordBreaks } from "../ui/dom";

const DEGREES = 180 / Math.PI;
const degrees = (angle: number): string => (angle * DEGREES).toFixed(0);

export interface JointReading {
  position: number;
  min: number;
  max: number;
  problem: string;
}

export class CalibrateRow {
  readonly element: HTMLElement;
  readonly reversed: HTMLInputElement;
  private readonly range = h("span", { class: "calibrate-range" });
  private readonly marker = h("span", { class: "calibrate-now" });
  private readonly numbers = h("output", {});
  private readonly note = h("span", { class: "calibrate-note quiet" });
  private readonly choice: HTMLElement;

  constructor(
    readonly joint: string,
    private readonly limits: Limits,
  ) {
    this.reversed = h("input", { type: "checkbox" });
    this.choice = h("label", { class: "calibrate-reverse" }, this.reversed, " turns the other way");
    this.element = h(
      "li",
      { "data-calibrate": joint },
      h("span", { class: "name" }, ...wordBreaks(joint)),
      h("span", { class: "calibrate-bar", "aria-hidden": "true" }, this.range, this.marker),
      this.numbers,
      this.note,
      this.choice,
    );
  }

  update(reading: JointReading, isReversed: boolean, isReview: boolean): void {
    const sign = isReversed ? -1 : 1;
    const [min, max] = isReversed ? [-reading.max, -reading.min] : [reading.min, reading.max];
    this.draw(min, max, sign * reading.position);
    setText(this.numbers, `${degrees(min)}° … ${degrees(max)}°`);
    const { lower, upper } = this.limits;
    const drawing = `drawing: ${degrees(lower)}° … ${degrees(upper)}°`;
    setText(this.note, reading.problem === "" ? drawing : "move it to both ends");
    this.note.title = reading.problem;
    this.element.classList.toggle("done", reading.problem === "");
    toggle(this.choice, isReview);
    this.reversed.checked = isReversed;
  }

  /** The bar shows the range of the drawing, or more if the joint goes further. */
  private draw(min: number, max: number, now: number): void {
    const from = Math.min(this.limits.lower, min);
    const to = Math.max(this.limits.upper, max, from + 1e-3);
    const percent = (angle: number) => `${((100 * (angle - from)) / (to - from)).toFixed(1)}%`;
    this.range.style.left = percent(min);
    this.range.style.right = `calc(100% - ${percent(max)})`;
    this.marker.style.left = percent(now);
  }
}
