// Plots of one joint: reference and measured position, their difference, efforts. Pause freezes the plots
// while data is still collected; dragging zooms in.
import uPlot from "uplot";
import type { Cockpit } from "../system/cockpit";
import { fixed, plotted, rangeOf, tickLabels } from "../system/curves";
import { type Excerpt, toCsv } from "../system/history";
import { h, ICONS, icon, saveText, setText, toggle } from "../ui/dom";
import { throttle } from "../ui/frame";
import { colour, watchTheme } from "../ui/theme";
import type { Units } from "./units";

const WINDOWS_S = [5, 10, 30, 60];
const SYNC = "sinew";

interface Series {
  label: string;
  colour: string;
  dash?: number[];
}

interface Chart {
  title: string;
  /** Positions are in the user's unit of angles, or metres; efforts in newton metres or newtons. */
  isPosition: boolean;
  series: Series[];
  columns: (excerpt: Excerpt) => Float64Array[];
  /** Minimum range of the axis, rad or N·m, so that noise of a joint at rest looks small. */
  least: number;
}

const difference = ({ columns: { reference, measured } }: Excerpt): Float64Array =>
  reference.map((value, i) => value - measured[i]!);

const CHARTS: Chart[] = [
  {
    title: "Position",
    isPosition: true,
    series: [
      { label: "reference", colour: "accent" },
      { label: "measured", colour: "text", dash: [4, 3] },
    ],
    columns: ({ columns }) => [columns.reference, columns.measured],
    least: 0.02,
  },
  {
    title: "Error",
    isPosition: true,
    series: [{ label: "reference − measured", colour: "accent" }],
    columns: (excerpt) => [difference(excerpt)],
    least: 0.002,
  },
  {
    title: "Effort",
    isPosition: false,
    series: [
      { label: "desired", colour: "accent" },
      { label: "measured", colour: "text", dash: [4, 3] },
      { label: "residual", colour: "warn" },
    ],
    columns: ({ columns }) => [columns.effort, columns.effortMeasured, columns.residual],
    least: 0.05,
  },
];

export class PlotsPanel {
  readonly element: HTMLElement;
  joint = "";
  private readonly select = h("select", { "aria-label": "Joint to plot" });
  private readonly pause = h("button", { type: "button", class: "small", "aria-pressed": "false" });
  private readonly whole = h("button", { type: "button", class: "small" }, "Reset zoom");
  private readonly boxes: HTMLElement[];
  private readonly values: HTMLElement[][];
  private readonly unitNames: HTMLElement[];
  plots: uPlot[] = [];
  private windowS = 10;
  private frozen: Excerpt | undefined;
  private isZoomed = false;
  private readonly draw = throttle(20, () => this.update());

  constructor(
    private readonly cockpit: Cockpit,
    private readonly units: Units,
  ) {
    this.unitNames = CHARTS.map(() => h("span", { class: "quiet" }));
    this.values = CHARTS.map(({ series }) => series.map(() => h("output", {})));
    this.boxes = CHARTS.map(() => h("div", { class: "drawing" }));
    const charts = CHARTS.map((chart, i) =>
      h(
        "div",
        { class: "chart", role: "group", "aria-label": `${chart.title} over time` },
        h("h4", {}, chart.title, " ", this.unitNames[i]!),
        h("div", { class: "keys" }, ...chart.series.map((_, j) => this.key(i, j))),
        this.boxes[i]!,
      ),
    );
    const windows = h("select", { "aria-label": "Time shown" });
    windows.append(
      ...WINDOWS_S.map((s) => h("option", { value: s, selected: s === 10 }, `${s} s`)),
    );
    windows.addEventListener("change", () => {
      this.windowS = Number(windows.value);
      this.resetZoom();
    });
    const csv = h(
      "button",
      {
        type: "button",
        class: "small",
        title: "Save the visible range as a CSV file, in SI units",
      },
      icon(ICONS.download),
      "CSV",
    );
    csv.addEventListener("click", () => saveText(`${this.joint}.csv`, this.csv()));
    this.pause.addEventListener("click", () => this.setPaused(this.frozen === undefined));
    this.whole.addEventListener("click", () => this.resetZoom());
    this.select.addEventListener("change", () => this.show(this.select.value));
    this.element = h(
      "div",
      { class: "plots" },
      h("div", { class: "row" }, this.select, windows, this.pause, this.whole, csv),
      h("div", { class: "charts" }, ...charts),
    );
    this.setPaused(false);
    toggle(this.whole, false);
    cockpit.onPose.on(this.draw);
    cockpit.onLimbs.on(() => this.listJoints());
    const observer = new ResizeObserver(() => this.resize());
    this.boxes.forEach((box) => observer.observe(box));
    watchTheme(() => this.rebuild());
    units.onChange.on(() => this.draw());
  }

  /** Legend entry: name, colour and value of a series. */
  private key(chart: number, series: number): HTMLElement {
    const { label, colour: name } = CHARTS[chart]!.series[series]!;
    const key = h("span", { class: "key" }, label, " ", this.values[chart]![series]!);
    key.style.setProperty("--key", `var(--${name})`);
    return key;
  }

  private get isAngle(): boolean {
    return this.cockpit.limitsOf(this.joint).isAngle;
  }

  private unitOf(chart: Chart): { name: string; factor: number; digits: number } {
    if (!chart.isPosition) {
      return { name: this.isAngle ? "N·m" : "N", factor: 1, digits: 3 };
    }
    const factor = this.units.factor(this.isAngle);
    return { name: this.units.nameOf(this.isAngle), factor, digits: factor === 1 ? 3 : 2 };
  }

  private listJoints(): void {
    const groups = this.cockpit.limbs.map((limb) =>
      h(
        "optgroup",
        { label: limb.name || "other joints" },
        ...limb.joints.map((joint) => h("option", { value: joint }, joint)),
      ),
    );
    this.select.replaceChildren(...groups);
    const known = this.cockpit.joints.includes(this.joint);
    this.show(known ? this.joint : (this.cockpit.limbs[0]?.joints[0] ?? ""));
  }

  show(joint: string): void {
    this.joint = joint;
    this.select.value = joint;
    if (this.frozen !== undefined) {
      this.frozen = this.excerpt();
    }
    this.draw();
  }

  private setPaused(isPaused: boolean): void {
    this.frozen = isPaused ? this.excerpt() : undefined;
    this.pause.setAttribute("aria-pressed", String(isPaused));
    this.pause.replaceChildren(
      icon(isPaused ? ICONS.play : ICONS.pause),
      isPaused ? "Continue" : "Pause",
    );
    if (!isPaused) {
      this.resetZoom();
    }
  }

  private resetZoom(): void {
    this.isZoomed = false;
    toggle(this.whole, false);
    this.draw();
  }

  private excerpt(): Excerpt {
    const { history } = this.cockpit;
    return history.excerpt(this.joint, history.latestTime - 60);
  }

  /** The time at 0 of the axis. */
  private end(excerpt: Excerpt): number {
    return excerpt.time.at(-1) ?? 0;
  }

  /** The visible range, zoomed or not. */
  private csv(): string {
    const { min, max } = this.plots[0]?.scales["x"] ?? {};
    const source = this.frozen ?? this.excerpt();
    const end = this.end(source);
    const rows = [...source.time.keys()].filter(
      (i) => source.time[i]! - end >= (min ?? -Infinity) && source.time[i]! - end <= (max ?? 0),
    );
    const pick = (column: Float64Array) => Float64Array.from(rows, (i) => column[i]!);
    const { reference, measured, effort, effortMeasured, residual } = source.columns;
    return toCsv(this.joint, this.isAngle, {
      time: pick(source.time),
      columns: {
        reference: pick(reference),
        measured: pick(measured),
        effort: pick(effort),
        effortMeasured: pick(effortMeasured),
        residual: pick(residual),
      },
    });
  }

  // ---- drawing ----

  private options(chart: Chart, index: number): uPlot.Options {
    const quiet = colour("quiet");
    const grid = { stroke: colour("line"), width: 1 };
    const font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const axis = { stroke: quiet, grid, ticks: { show: false }, font };
    return {
      ...this.sizeOf(index),
      cursor: { sync: { key: SYNC }, drag: { x: true, y: false }, points: { size: 5 } },
      legend: { show: false },
      padding: [8, 14, 0, 0],
      scales: {
        x: { time: false },
        y: {
          range: (_plot, low, high) => rangeOf(low, high, chart.least * this.unitOf(chart).factor),
        },
      },
      axes: [
        {
          ...axis,
          size: 22,
          space: 44,
          values: (_plot, ticks, _axis, _space, step) => tickLabels(ticks, step),
        },
        {
          ...axis,
          size: 54,
          space: 26,
          values: (_plot, ticks, _axis, _space, step) => tickLabels(ticks, step),
        },
      ],
      series: [
        {},
        ...chart.series.map((series) => ({
          stroke: colour(series.colour),
          width: 1.5,
          ...(series.dash && { dash: series.dash }),
          points: { show: false },
        })),
      ],
      hooks: {
        setCursor: [() => this.draw()],
        setSelect: [
          (plot) => {
            if (plot.select.width > 2) {
              this.setPausedForZoom();
            }
          },
        ],
      },
    };
  }

  private setPausedForZoom(): void {
    if (this.frozen === undefined) {
      this.setPaused(true);
    }
    this.isZoomed = true;
    toggle(this.whole, true);
  }

  private rebuild(): void {
    this.plots.forEach((plot) => plot.destroy());
    this.plots = CHARTS.map((chart, i) => {
      const empty = [[], ...chart.series.map(() => [])] as unknown as uPlot.AlignedData;
      return new uPlot(this.options(chart, i), empty, this.boxes[i]!);
    });
    this.draw();
  }

  private sizeOf(index: number): { width: number; height: number } {
    const { clientWidth, clientHeight } = this.boxes[index]!;
    return { width: Math.max(clientWidth, 120), height: Math.max(clientHeight, 80) };
  }

  private resize(): void {
    this.plots.forEach((plot, i) => {
      if (this.boxes[i]!.clientWidth > 0) {
        plot.setSize(this.sizeOf(i));
      }
    });
    this.draw();
  }

  private update(): void {
    if (this.element.offsetParent === null || this.joint === "") {
      return; // not visible
    }
    const excerpt =
      this.frozen ??
      this.cockpit.history.excerpt(this.joint, this.cockpit.history.latestTime - this.windowS);
    const time = excerpt.time.map((t) => t - this.end(excerpt));
    this.plots.forEach((plot, i) => {
      const unit = this.unitOf(CHARTS[i]!);
      setText(this.unitNames[i]!, unit.name);
      const columns = CHARTS[i]!.columns(excerpt).map((column) => plotted(column, unit.factor));
      plot.setData([time, ...columns] as unknown as uPlot.AlignedData, false);
      if (!this.isZoomed) {
        plot.setScale("x", { min: -this.windowS, max: 0 });
      } else {
        plot.redraw();
      }
      // The value at the cursor, or the latest.
      const at = plot.cursor.idx ?? time.length - 1;
      columns.forEach((column, j) => {
        const value = column[at] ?? null;
        setText(this.values[i]![j]!, value === null ? "–" : fixed(value, unit.digits));
      });
    });
  }
}
