// One chart: curves of the same unit over time, with a legend.
import uPlot from "uplot";
import { fixed, rangeOf, tickLabels } from "../system/curves";
import { h, setText } from "../ui/dom";
import { colour } from "../ui/theme";
import type { Curve } from "./curve_store";

/** Of curves, in light and dark colours. */
const PALETTE = [
  "#2f7ed8",
  "#e0821e",
  "#2f9e44",
  "#d64545",
  "#8e63ce",
  "#1299a5",
  "#a5682a",
  "#d05ca8",
];

/** Of the curves after the first eight. */
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

export interface ChartCurve {
  curve: Curve;
  colour: string;
  dash: number[];
}

/** The look of the curve with this number. */
export const lookOf = (index: number): Omit<ChartCurve, "curve"> => ({
  colour: PALETTE[index % PALETTE.length]!,
  dash: DASHES[Math.floor(index / PALETTE.length) % DASHES.length]!,
});

/** The field first: where there is no room, the topic is cut off. */
export const labelOf = ({ topic, path }: Curve): string => `${path} · ${topic.slice(1)}`;

/** The narrowest range of an axis: noise of a constant looks small, and ticks keep few digits. */
const leastOf = (low: number | null, high: number | null, factor: number): number =>
  1e-3 * Math.max(factor, Math.abs(low ?? 0), Math.abs(high ?? 0));

const digitsOf = (value: number): number =>
  Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 2 : 4;

export class CurveChart {
  private readonly drawing = h("div", { class: "drawing" });
  private readonly values: HTMLElement[];
  readonly element: HTMLElement;
  readonly plot: uPlot;

  /** @param factor   of the displayed unit
   *  @param onZoom   the user has chosen a range of time
   *  @param onRemove the user does not want a curve any more */
  constructor(
    readonly unit: string,
    readonly curves: ChartCurve[],
    private readonly factor: number,
    private readonly actions: {
      onZoom: () => void;
      onCursor: () => void;
      onRemove: (curve: Curve) => void;
    },
  ) {
    this.values = curves.map(() => h("output", {}));
    this.element = h(
      "div",
      { class: "chart", role: "group", "aria-label": `Curves in ${unit || "no unit"}` },
      h("h4", {}, unit === "" ? h("span", { class: "quiet" }, "no unit") : unit),
      h("div", { class: "keys" }, ...curves.map((_, i) => this.key(i))),
      this.drawing,
    );
    const empty = [[], ...curves.map(() => [])] as unknown as uPlot.AlignedData;
    this.plot = new uPlot(this.options(), empty, this.drawing);
  }

  private key(index: number): HTMLElement {
    const { curve, colour: own } = this.curves[index]!;
    const label = labelOf(curve);
    const remove = h(
      "button",
      { type: "button", class: "remove", "aria-label": `Remove ${label}`, title: "Remove" },
      "×",
    );
    remove.addEventListener("click", () => this.actions.onRemove(curve));
    const name = h("span", { class: "name", title: label }, label);
    const key = h("span", { class: "key" }, name, " ", this.values[index]!, remove);
    key.style.setProperty("--key", own);
    return key;
  }

  private options(): uPlot.Options {
    const font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const grid = { stroke: colour("line"), width: 1 };
    const axis = {
      stroke: colour("quiet"),
      grid,
      ticks: { show: false },
      font,
      values: (_plot: uPlot, ticks: number[], _axis: number, _space: number, step: number) =>
        tickLabels(ticks, step),
    };
    return {
      ...this.size(),
      cursor: { sync: { key: "sinew" }, drag: { x: true, y: false }, points: { size: 5 } },
      legend: { show: false },
      padding: [8, 14, 0, 0],
      scales: {
        x: { time: false },
        y: { range: (_plot, low, high) => rangeOf(low, high, leastOf(low, high, this.factor)) },
      },
      axes: [
        { ...axis, size: 22, space: 44 },
        { ...axis, size: 58, space: 26 },
      ],
      series: [
        {},
        ...this.curves.map((one) => ({
          stroke: one.colour,
          dash: one.dash,
          width: 1.5,
          points: { show: false },
        })),
      ],
      hooks: {
        setCursor: [() => this.actions.onCursor()],
        setSelect: [(plot) => plot.select.width > 2 && this.actions.onZoom()],
      },
    };
  }

  private size(): { width: number; height: number } {
    const { clientWidth, clientHeight } = this.drawing;
    return { width: Math.max(clientWidth, 120), height: Math.max(clientHeight, 80) };
  }

  resize(): void {
    if (this.drawing.clientWidth > 0) {
      this.plot.setSize(this.size());
    }
  }

  /** Curves of several topics have different times: those of the others are not gaps. */
  setData(from: number, end: number): void {
    const tables = this.curves.map(({ curve }) => {
      const { time, value } = curve.track.since(from);
      return [
        time.map((t) => t - end),
        value.map((v) => (v === null ? null : v * this.factor)),
      ] as uPlot.AlignedData;
    });
    this.plot.setData(uPlot.join(tables), false);
  }

  /** The values at the cursor, or the latest. */
  showValues(): void {
    const { data, cursor } = this.plot;
    this.curves.forEach((_, i) => {
      const column = (data[i + 1] ?? []) as (number | null | undefined)[];
      let at = cursor.idx ?? column.length - 1;
      while (at > 0 && column[at] === undefined) {
        at--; // another topic has a value at that time
      }
      const value = column[at];
      setText(
        this.values[i]!,
        value === null || value === undefined ? "–" : fixed(value, digitsOf(value)),
      );
    });
  }

  destroy(): void {
    this.plot.destroy();
    this.element.remove();
  }
}
