// Cycle times: a histogram for each activity, a table of components.
import type { Cockpit } from "../system/cockpit";
import { type Distribution, duration, octaves, type Timing } from "../system/timing";
import { h, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";

/** Both axes are logarithmic, so that rare long cycles are visible. */
function histogram(title: string, distribution: Distribution, limitNs: number): HTMLElement {
  const bars = octaves(distribution.buckets ?? []);
  const top = Math.log1p(Math.max(1, ...bars.map((bar) => bar.count)));
  const box = h("div", { class: "histogram", role: "img" });
  box.setAttribute(
    "aria-label",
    `${title}: median ${duration(distribution.p50_ns)}, 99 % below ${duration(distribution.p99_ns)}, maximum ${duration(distribution.max_ns)}`,
  );
  for (const bar of bars) {
    const column = h("div", {
      class: bar.fromNs >= limitNs ? "bar late" : "bar",
      title: `from ${duration(bar.fromNs)}: ${bar.count}`,
    });
    column.style.height = `${(100 * Math.log1p(bar.count)) / top}%`;
    box.append(column);
  }
  const first = bars[0]?.fromNs ?? 0;
  const last = (bars.at(-1)?.fromNs ?? 0) * Math.SQRT2;
  return h(
    "figure",
    {},
    h(
      "figcaption",
      {},
      title,
      h(
        "span",
        { class: "quiet" },
        ` median ${duration(distribution.p50_ns)}, 99 % below ${duration(distribution.p99_ns)}, maximum ${duration(distribution.max_ns)}`,
      ),
    ),
    box,
    h(
      "div",
      { class: "scale quiet" },
      h("span", {}, duration(first)),
      h("span", {}, duration(last)),
    ),
  );
}

export class TimingPanel {
  readonly element = h("div", { class: "panel" });
  private latest: Timing | undefined;

  constructor(private readonly cockpit: Cockpit) {
    const update = () => this.update();
    cockpit.onTiming.on((timing) => {
      this.latest = timing;
      nextFrame(update);
    });
  }

  private update(): void {
    if (this.latest === undefined || this.element.offsetParent === null) {
      toggle(this.element, true);
      return;
    }
    const activities = this.latest.activities.map((activity) =>
      h(
        "section",
        { class: activity.late ? "card late" : "card" },
        h(
          "h3",
          {},
          activity.name,
          activity.period_ns > 0 &&
            h("span", { class: "quiet" }, ` every ${duration(activity.period_ns)}`),
        ),
        histogram("Cycle time", activity.duration, activity.period_ns || Infinity),
        activity.period_ns > 0 && histogram("Lateness", activity.lateness, activity.period_ns),
        h(
          "p",
          { class: "quiet" },
          `${activity.cycles.toLocaleString("en")} cycles, ${activity.overruns} too long, ${activity.skipped} skipped`,
        ),
      ),
    );
    this.element.replaceChildren(...activities, this.table(this.latest));
  }

  private table(timing: Timing): HTMLElement {
    const infos = new Map(this.cockpit.components.map((component) => [component.name, component]));
    const rows = timing.components.map((component) => {
      const info = infos.get(component.name);
      const state = info?.state ?? component.state;
      const recover = h("button", { type: "button", class: "small" }, "Recover");
      recover.addEventListener("click", () => {
        if (info !== undefined) {
          void this.cockpit.do(info, "recover");
        }
      });
      const { p50_ns, p99_ns, max_ns, count } = component.duration;
      const number = (ns: number) => h("td", { class: "number" }, count > 0 ? duration(ns) : "");
      return h(
        "tr",
        {},
        h("th", { scope: "row", title: info?.doc ?? "" }, component.name),
        h("td", {}, h("span", { class: `state ${state}` }, state), state === "error" && recover),
        number(p50_ns),
        number(p99_ns),
        number(max_ns),
      );
    });
    const head = ["Component", "State", "50 %", "99 %", "max"].map((text, i) =>
      h("th", { scope: "col", class: i < 2 ? "" : "number" }, text),
    );
    return h(
      "section",
      { class: "card" },
      h("h3", {}, "Components"),
      h("table", { class: "data" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)),
    );
  }

  /** Updates are skipped while the panel is hidden. */
  shown(): void {
    this.update();
  }
}
