// One servo in the identification table: two rows, the second one with the parameters of its model.
import { h, setText, toggle } from "../ui/dom";

const ENOUGH = 2000; // samples after which the bar is full

export interface ServoState {
  name: string;
  has_model: boolean;
  running: boolean;
  samples: number;
  error: number | null;
  alpha: number[];
  std: (number | null)[];
  excitation: number;
  excited: boolean;
}

/** Terms of the model, see docs/servo-identification.md. */
const PARAMETERS: { symbol: string; name: string; unit: string; doc: string }[] = [
  { symbol: "α₀", name: "viscous", unit: "V·s/rad", doc: "Back-EMF and viscous friction" },
  { symbol: "α₁", name: "Coulomb", unit: "V", doc: "Coulomb friction" },
  { symbol: "α₂", name: "Stribeck", unit: "V", doc: "Stribeck friction" },
  { symbol: "α₃", name: "load", unit: "V/(N·m)", doc: "Volts per torque" },
];

export class IdentRow {
  readonly elements: HTMLElement[];
  readonly box: HTMLInputElement;
  private readonly row: HTMLElement;
  private readonly bar = h("progress", { max: 1, value: 0 });
  private readonly error = h("td", { class: "number" });
  private readonly excited = h("td", {});
  private readonly values = PARAMETERS.map(() => h("output", {}));
  private readonly details: HTMLElement;

  constructor(readonly name: string) {
    this.box = h("input", { type: "checkbox", "aria-label": `Identify ${name}`, value: name });
    this.bar.setAttribute("aria-label", `${name}, samples`);
    this.row = h(
      "tr",
      { "data-servo": name },
      h("th", { scope: "row" }, h("label", {}, this.box, " ", name)),
      h("td", {}, this.bar),
      this.error,
      this.excited,
    );
    const parameters = PARAMETERS.map(({ symbol, name: word, unit, doc }, i) =>
      h(
        "span",
        { title: `${doc}, ${unit}` },
        h("span", { class: "quiet" }, `${symbol} ${word} `),
        this.values[i]!,
        h("span", { class: "quiet" }, ` ${unit}`),
      ),
    );
    this.details = h(
      "tr",
      { class: "details", "data-parameters": name },
      h("td", { colspan: 4 }, h("div", { class: "parameters" }, ...parameters)),
    );
    this.elements = [this.row, this.details];
  }

  update(state: ServoState, isRunning: boolean): void {
    this.box.disabled = isRunning || !state.has_model;
    this.row.title = state.has_model
      ? ""
      : `${this.name} cannot be identified: its kp is missing in servo_models.`;
    toggle(this.bar, state.running);
    this.bar.value = Math.min(1, state.samples / ENOUGH);
    this.bar.title = `${state.samples} samples`;
    this.row.classList.toggle("running", state.running);
    const hasError = state.error !== null && Number.isFinite(state.error);
    setText(this.error, hasError ? (1000 * state.error!).toFixed(2) : "–");
    this.values.forEach((value, i) => {
      const std = state.std[i];
      const isKnown = state.running && std !== null && std !== undefined && std > 0;
      const spread = isKnown ? ` ±${std.toPrecision(1)}` : "";
      setText(value, `${(state.alpha[i] ?? 0).toPrecision(3)}${spread}`);
    });
    setText(this.excited, !state.running ? "" : state.excited ? "enough" : "needs more");
    this.excited.classList.toggle("good", state.excited);
    this.showDetails(state.running);
  }

  /** Show the parameters of selected servos. */
  showDetails(isRunning = this.row.classList.contains("running")): void {
    const isShown = isRunning || this.box.checked;
    toggle(this.details, isShown);
    this.row.classList.toggle("open", isShown);
  }
}
