// Curves of one joint: reference and measured position, the difference, efforts. Pause freezes what is
// seen while the rings go on; dragging zooms into it.
import uPlot from "uplot";
import type { Cockpit } from "../system/cockpit";
import { type Excerpt, toCsv } from "../system/history";
import { h, ICONS, icon, saveText, setText, toggle } from "../ui/dom";
import { atMost } from "../ui/frame";
import { colour, watchTheme } from "../ui/theme";

const WINDOWS_S = [5, 10, 30, 60];
const SYNC = "sinew";

interface Series {
  label: string;
  colour: string;
  dash?: number[];
}

interface Chart {
  title: string;
  unit: string;
  series: Series[];
  columns: (excerpt: Excerpt) => Float64Array[];
}

const difference = ({ columns: { reference, measured } }: Excerpt): Float64Array =>
  reference.map((value, i) => value - measured[i]!);

const CHARTS: Chart[] = [
  {
    title: "Position",
    unit: "rad",
    series: [
      { label: "ref", colour: "accent" },
      { label: "meas", colour: "text", dash: [4, 3] },
    ],
    columns: ({ columns }) => [columns.reference, columns.measured],
  },
  {
    title: "Error",
    unit: "rad",
    series: [{ label: "ref − meas", colour: "accent" }],
    columns: (excerpt) => [difference(excerpt)],
  },
  {
    title: "Effort",
    unit: "N·m",
    series: [
      { label: "wanted", colour: "accent" },
      { label: "meas", colour: "text", dash: [4, 3] },
      { label: "residual", colour: "warn" },
    ],
    columns: ({ columns }) => [columns.effort, columns.effortMeasured, columns.residual],
  },
];

/** At least this much is shown: noise of a joint at rest should not look like an earthquake. */
const SMALLEST = [0.02, 0.002, 0.05];

function range(least: number): uPlot.Range.Function {
  return (_plot, low, high) => {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) {
      return [-least, least];
    }
    const middle = (low + high) / 2;
    const half = Math.max((high - low) / 2, least / 2) * 1.12;
    return [middle - half, middle + half];
  };
}

export class PlotsPanel {
  readonly element: HTMLElement;
  joint = "";
  private readonly select = h("select", { "aria-label": "Joint to plot" });
  private readonly pause = h("button", { type: "button", class: "small", "aria-pressed": "false" });
  private readonly whole = h("button", { type: "button", class: "small" }, "Reset zoom");
  private readonly boxes: HTMLElement[];
  private readonly values: HTMLElement[][];
  private plots: uPlot[] = [];
  private windowS = 10;
  private frozen: Excerpt | undefined;
  private isZoomed = false;
  private readonly draw = atMost(20, () => this.update());

  constructor(private readonly cockpit: Cockpit) {
    this.values = CHARTS.map(({ series }) => series.map(() => h("output", {})));
    this.boxes = CHARTS.map((chart, i) =>
      h(
        "div",
        { class: "chart", role: "group", "aria-label": `${chart.title} over time` },
        h(
          "h4",
          {},
          chart.title,
          h("span", { class: "quiet" }, ` ${chart.unit}`),
          ...chart.series.map(({ label, colour: name }, j) => {
            const key = h("span", { class: "key" }, label, " ", this.values[i]![j]!);
            key.style.setProperty("--key", `var(--${name})`);
            return key;
          }),
        ),
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
      { type: "button", class: "small", title: "What is shown, as a file" },
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
      h("div", { class: "charts" }, ...this.boxes),
    );
    this.setPaused(false);
    toggle(this.whole, false);
    cockpit.onPose.on(this.draw);
    cockpit.onLimbs.on(() => this.listJoints());
    new ResizeObserver(() => this.resize()).observe(this.element);
    watchTheme(() => this.rebuild());
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
      isPaused ? "Go on" : "Pause",
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

  /** The time that is 0 in the pictures. */
  private end(excerpt: Excerpt): number {
    return excerpt.time.at(-1) ?? 0;
  }

  /** What is in view, zoomed or not. */
  private csv(): string {
    const { min, max } = this.plots[0]?.scales["x"] ?? {};
    const source = this.frozen ?? this.excerpt();
    const end = this.end(source);
    const rows = [...source.time.keys()].filter(
      (i) => source.time[i]! - end >= (min ?? -Infinity) && source.time[i]! - end <= (max ?? 0),
    );
    const pick = (column: Float64Array) => Float64Array.from(rows, (i) => column[i]!);
    const { reference, measured, effort, effortMeasured, residual } = source.columns;
    return toCsv(this.joint, {
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
      width: Math.max(this.boxes[index]!.clientWidth, 120),
      height: Math.max(this.boxes[index]!.clientHeight - 22, 80),
      cursor: { sync: { key: SYNC }, drag: { x: true, y: false }, points: { size: 5 } },
      legend: { show: false },
      scales: { x: { time: false }, y: { range: range(SMALLEST[index]!) } },
      axes: [
        {
          ...axis,
          size: 22,
          values: (_plot, ticks) => ticks.map((t) => `${Number(t.toFixed(2))}`),
        },
        { ...axis, size: 54, space: 26 },
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

  private resize(): void {
    this.plots.forEach((plot, i) => {
      const box = this.boxes[i]!;
      if (box.clientWidth > 0) {
        plot.setSize({ width: box.clientWidth, height: Math.max(box.clientHeight - 22, 80) });
      }
    });
    this.draw();
  }

  private update(): void {
    if (this.element.offsetParent === null || this.joint === "") {
      return; // not seen
    }
    const excerpt =
      this.frozen ??
      this.cockpit.history.excerpt(this.joint, this.cockpit.history.latestTime - this.windowS);
    const time = excerpt.time.map((t) => t - this.end(excerpt));
    this.plots.forEach((plot, i) => {
      const columns = CHARTS[i]!.columns(excerpt);
      plot.setData([time, ...columns] as unknown as uPlot.AlignedData, false);
      if (!this.isZoomed) {
        plot.setScale("x", { min: -this.windowS, max: 0 });
      } else {
        plot.redraw();
      }
      // Under the cursor if there is one, else the latest.
      const at = plot.cursor.idx ?? time.length - 1;
      columns.forEach((column, j) => {
        const value = column[at] ?? NaN;
        setText(this.values[i]![j]!, Number.isFinite(value) ? value.toFixed(3) : "–");
      });
    });
  }
}
