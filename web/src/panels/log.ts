// The log, newest line last. Keeps the scroll position unless it is at the end.
import type { Cockpit } from "../system/cockpit";
import { type LogLine, seconds } from "../system/messages";
import { h } from "../ui/dom";
import { nextFrame } from "../ui/frame";

const LINES_MAX = 500;
const LEVELS: [number, string][] = [
  [10, "debug"],
  [20, "info"],
  [30, "warning"],
  [40, "error"],
];

const levelName = (level: number): string =>
  [...LEVELS].reverse().find(([least]) => level >= least)?.[1] ?? "debug";

export class LogPanel {
  readonly element: HTMLElement;
  /** Warnings and errors since the panel was last visible. */
  unseen = 0;
  onUnseen: () => void = () => undefined;
  private readonly list = h("ol", { class: "log", tabindex: "0", "aria-label": "Log" });
  private readonly filter = h("select", { "aria-label": "Minimum level" });
  private waiting: LogLine[] = [];
  private readonly seen = new Set<string>();

  constructor(cockpit: Cockpit) {
    this.filter.append(
      ...LEVELS.map(([level, name]) => h("option", { value: level, selected: level === 20 }, name)),
    );
    this.filter.addEventListener("change", () => {
      this.list.dataset["least"] = levelName(Number(this.filter.value));
    });
    this.list.dataset["least"] = "info";
    const clear = h("button", { type: "button", class: "small" }, "Clear");
    clear.addEventListener("click", () => this.list.replaceChildren());
    this.element = h(
      "div",
      { class: "panel fill" },
      h(
        "div",
        { class: "row" },
        h("label", {}, "Level ", this.filter),
        h("span", { class: "spacer" }),
        clear,
      ),
      this.list,
    );
    const flush = () => this.flush();
    cockpit.onLog.on((line) => {
      this.waiting.push(line);
      nextFrame(flush);
    });
  }

  private flush(): void {
    const isAtEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 8;
    const lines = this.waiting.slice(-LINES_MAX);
    this.waiting = [];
    for (const line of lines) {
      const time = seconds(line.stamp).toFixed(3);
      const key = `${time} ${line.name} ${line.msg}`;
      if (this.seen.has(key)) {
        continue; // the server repeats the last lines for each connection
      }
      this.remember(key);
      const level = levelName(line.level);
      this.list.append(
        h(
          "li",
          { class: level },
          h("time", {}, time),
          h("span", { class: "level" }, level),
          h("span", { class: "from" }, line.name),
          h("span", { class: "text" }, line.msg),
        ),
      );
      if (line.level >= 30 && this.element.offsetParent === null) {
        this.unseen++;
      }
    }
    while (this.list.childElementCount > LINES_MAX) {
      this.list.firstElementChild!.remove();
    }
    if (isAtEnd) {
      this.list.scrollTop = this.list.scrollHeight;
    }
    this.onUnseen();
  }

  private remember(key: string): void {
    this.seen.add(key);
    if (this.seen.size > 2 * LINES_MAX) {
      this.seen.delete(this.seen.values().next().value!); // the oldest
    }
  }

  shown(): void {
    this.unseen = 0;
    this.list.scrollTop = this.list.scrollHeight;
    this.onUnseen();
  }
}
