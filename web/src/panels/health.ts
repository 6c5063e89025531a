// The health of servos: torque, temperature, voltage, load, errors. Shown only with real servos, since
// simulated ones report nothing.
import type { Cockpit } from "../system/cockpit";
import { busLines, type ServoRow, servoRows } from "../system/health";
import { h, setText, toggle } from "../ui/dom";
import { throttle } from "../ui/frame";

class Line {
  readonly element: HTMLElement;
  private readonly cells = Array.from({ length: 5 }, (_, i) =>
    h("td", { class: i === 1 ? "torque" : "number" }),
  );
  private readonly errors = h("td", { class: "errors" });

  constructor(readonly joint: string) {
    this.element = h(
      "tr",
      { "data-health": joint },
      h("th", { scope: "row" }, joint),
      ...this.cells,
      this.errors,
    );
  }

  update(row: ServoRow): void {
    const values = [row.id, row.torque, row.temperature, row.voltage, row.load];
    values.forEach((value, i) => setText(this.cells[i]!, value));
    this.cells[1]!.dataset["torque"] = row.torque;
    setText(this.errors, row.errors || "none");
    this.element.title = row.detail;
    this.element.classList.toggle("bad", row.errors !== "");
  }
}

export class HealthCard {
  readonly element: HTMLElement;
  /** Number of servos with errors. */
  bad = 0;
  onBad: () => void = () => undefined;
  private readonly body = h("tbody", {});
  private readonly buses = h("p", { class: "quiet" });
  private readonly rearm = h(
    "button",
    {
      type: "button",
      class: "small",
      title: "Clear latched errors, so that the servos can have torque again",
    },
    "Rearm",
  );
  private lines = new Map<string, Line>();

  constructor(private readonly cockpit: Cockpit) {
    const columns: [string, string][] = [
      ["Servo", "Name of its joint"],
      ["ID", "Id on its bus"],
      ["Torque", "Whether it holds its position"],
      ["°C", "Temperature"],
      ["V", "Supply voltage"],
      ["Load %", "Percentage of the maximum torque, with sign"],
      ["Errors", "What the servo or the driver reports"],
    ];
    this.element = h(
      "section",
      { class: "card", hidden: true, id: "health" },
      h("div", { class: "row" }, h("h3", {}, "Health"), h("span", { class: "spacer" }), this.rearm),
      h(
        "table",
        { class: "data health" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...columns.map(([name, title], i) =>
              h(
                "th",
                { scope: "col", title, class: [1, 3, 4, 5].includes(i) ? "number" : "" },
                name,
              ),
            ),
          ),
        ),
        this.body,
      ),
      this.buses,
    );
    this.rearm.addEventListener("click", () => {
      const { health } = cockpit.roles;
      if (health !== undefined) {
        void cockpit.do(health, "rearm");
      }
    });
    cockpit.onHealth.on(throttle(4, () => this.update()));
    cockpit.onRoles.on(() => this.update());
    cockpit.onConnection.on(() => this.update());
  }

  private update(): void {
    const { health, roles, mayChange } = this.cockpit;
    toggle(this.element, health !== undefined);
    const rows = health === undefined ? [] : servoRows(health, roles.health);
    if (rows.length !== this.lines.size || rows.some(({ joint }) => !this.lines.has(joint))) {
      this.lines = new Map(rows.map(({ joint }) => [joint, new Line(joint)]));
      this.body.replaceChildren(...[...this.lines.values()].map((line) => line.element));
    }
    rows.forEach((row) => this.lines.get(row.joint)!.update(row));
    setText(this.buses, health === undefined ? "" : busLines(health).join("\n"));
    const bad = rows.filter((row) => row.errors !== "").length;
    const canRearm = roles.health?.operations.some(({ name }) => name === "rearm") ?? false;
    toggle(this.rearm, canRearm && mayChange && bad > 0);
    if (bad !== this.bad) {
      this.bad = bad;
      this.onBad();
    }
  }
}
