// Curves of any topics: one chart for each unit.
import type { Cockpit } from "../system/cockpit";
import type { Units } from "../panels/units";
import { h, ICONS, icon, saveText, toggle } from "../ui/dom";
import { throttle } from "../ui/frame";
import { watchTheme } from "../ui/theme";
import { CurveChart, lookOf } from "./curve_chart";
import { CurvePicker } from "./curve_picker";
import { curvesCsv } from "./curve_csv";
import { type Curve, CurveStore } from "./curve_store";

const WINDOWS_S = [5, 10, 30, 60];

export class CurvesPanel {
  readonly store: CurveStore;
  charts: CurveChart[] = [];
  private readonly picker: CurvePicker;
  private readonly windows = h("select", { "aria-label": "Time shown" });
  private readonly pause = h("button", { type: "button", class: "small", "aria-pressed": "false" });
  private readonly csv = h(
    "button",
    { type: "button", class: "small", title: "Save the visible range as a CSV file, in SI units" },
    icon(ICONS.download),
    "CSV",
  );
  private readonly clear = h("button", { type: "button", class: "small" }, "Remove all");
  private readonly hint = h(
    "p",
    { class: "quiet hint" },
    "Choose a topic, then its fields: any numbers, of several joints and topics at once.",
  );
  private readonly box = h("div", { class: "charts curves" });
  readonly element: HTMLElement;
  private isPaused = false;
  private isZoomed = false;
  private shape = "";
  private readonly draw = throttle(20, () => this.update());

  constructor(
    cockpit: Cockpit,
    private readonly units: Units,
  ) {
    this.store = new CurveStore(cockpit);
    this.picker = new CurvePicker(cockpit, this.store);
    this.windows.append(
      ...WINDOWS_S.map((s) => h("option", { value: s, selected: s === 10 }, `${s} s`)),
    );
    this.windows.addEventListener("change", () => this.setPaused(false));
    this.pause.addEventListener("click", () => this.setPaused(!this.isPaused));
    this.csv.addEventListener("click", () => saveText("curves.csv", this.csvText()));
    this.clear.addEventListener("click", () => this.store.remove(this.store.list));
    this.element = h(
      "div",
      { class: "plots" },
      h(
        "div",
        { class: "row" },
        this.picker.topic,
        this.picker.field,
        this.windows,
        this.pause,
        this.csv,
        this.clear,
      ),
      this.hint,
      this.box,
    );
    this.setPaused(false);
    this.store.onChange.on(() => this.arrange());
    this.store.onTopic.on(() => this.arrange());
    cockpit.onLimbs.on(() => this.arrange()); // units of joints are known
    this.store.onData.on(this.draw);
    units.onChange.on(() => this.arrange());
    new ResizeObserver(() => this.resize()).observe(this.box);
    watchTheme(() => {
      this.shape = "";
      this.arrange();
    });
  }

  private get windowS(): number {
    return Number(this.windows.value);
  }

  /** Angles are shown in the user's unit. */
  private displayed(unit: string): { name: string; factor: number } {
    return /^rad\b/.test(unit)
      ? { name: unit.replace("rad", this.units.name), factor: this.units.factor(true) }
      : { name: unit, factor: 1 };
  }

  /** Make the charts, if their curves or units are others. */
  private arrange(): void {
    const { list } = this.store;
    const units = list.map((curve) => this.displayed(this.store.unitOf(curve)));
    const shape = JSON.stringify(list.map(({ topic, path }, i) => [topic, path, units[i]]));
    toggle(this.hint, list.length === 0);
    [this.pause, this.csv, this.clear].forEach((button) => toggle(button, list.length > 0));
    if (shape === this.shape) {
      return;
    }
    this.shape = shape;
    this.charts.forEach((chart) => chart.destroy());
    this.charts = [...new Set(units.map(({ name }) => name))].map((name) => {
      const own = list.filter((_, i) => units[i]!.name === name);
      const { factor } = units.find((unit) => unit.name === name)!;
      const chart = new CurveChart(
        name,
        own.map((curve) => ({ curve, ...lookOf(list.indexOf(curve)) })),
        factor,
        {
          onZoom: () => this.zoom(),
          onCursor: () => this.draw(),
          onRemove: (curve: Curve) => this.store.remove([curve]),
        },
      );
      this.box.append(chart.element);
      return chart;
    });
    this.setPaused(false);
    this.resize();
  }

  private setPaused(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.isZoomed = isPaused && this.isZoomed;
    this.pause.setAttribute("aria-pressed", String(isPaused));
    this.pause.replaceChildren(
      icon(isPaused ? ICONS.play : ICONS.pause),
      isPaused ? "Continue" : "Pause",
    );
    this.draw();
  }

  private zoom(): void {
    this.isZoomed = true;
    this.setPaused(true);
  }

  private resize(): void {
    this.charts.forEach((chart) => chart.resize());
    this.draw();
  }

  private update(): void {
    if (this.element.offsetParent === null) {
      return; // not visible
    }
    const { end } = this.store;
    for (const chart of this.charts) {
      if (!this.isPaused) {
        chart.setData(end - this.windowS, end);
      }
      if (!this.isZoomed) {
        chart.plot.setScale("x", { min: -this.windowS, max: 0 });
      }
      chart.showValues();
    }
  }

  private csvText(): string {
    const { end } = this.store;
    const { min, max } = this.charts[0]?.plot.scales["x"] ?? {};
    const range = { from: end + (min ?? -this.windowS), to: end + (max ?? 0) };
    return curvesCsv(this.store, range);
  }
}
