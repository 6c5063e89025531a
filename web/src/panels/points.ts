// Points: save the present pose, choose points by tapping them in order, see the motion through them and run it.
import type { Cockpit } from "../system/cockpit";
import type { Points } from "../tool/points";
import type { ToolMove } from "../tool/tool_move";
import { h, replaceRows, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";

export class PointsCard {
  readonly element: HTMLElement;
  private readonly list = h("ul", { class: "points", "aria-label": "Points" });
  private readonly name = h("input", {
    type: "text",
    name: "point",
    autocomplete: "off",
    "aria-label": "Name of the new point",
  });
  private readonly save = h("button", { type: "submit" }, "Save point");
  private readonly show = h("button", { type: "button", id: "points-show" }, "Preview");
  private readonly run = h("button", { type: "button", class: "primary", id: "points-run" }, "Run");
  private readonly how = h("p", { class: "quiet" });
  private readonly verdict = h("p", { role: "status", class: "verdict" });
  private signature = "";

  constructor(
    private readonly cockpit: Cockpit,
    private readonly points: Points,
    private readonly move: ToolMove,
  ) {
    this.save.title = "Save the present pose of all joints";
    const form = h("form", { class: "row point-form" }, this.name, this.save);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.saveNow();
    });
    this.show.addEventListener("click", () => void points.show());
    this.run.addEventListener("click", () => void this.runNow());
    this.element = h(
      "section",
      { class: "card", id: "points" },
      h("h3", {}, "Points"),
      form,
      this.list,
      this.how,
      h("div", { class: "row" }, this.show, this.run),
      this.verdict,
    );
    const update = () => this.update();
    for (const signal of [points.onChange, move.onChange, cockpit.onStop, cockpit.onConnection]) {
      signal.on(() => nextFrame(update));
    }
    move.tools.onChange.on(() => nextFrame(update));
    this.update();
  }

  private async saveNow(): Promise<void> {
    const name = this.name.value.trim() || this.points.nextName;
    if (await this.points.save(name)) {
      this.name.value = "";
      if (!this.points.chosen.includes(name)) {
        this.points.toggle(name);
      }
    }
    this.update();
  }

  /** The motion is planned once more, from where the robot is now. */
  private async runNow(): Promise<void> {
    if (await this.points.show()) {
      await this.move.settled();
      await this.move.run();
    }
  }

  private row(name: string): HTMLElement {
    const at = this.points.chosen.indexOf(name);
    const choose = h(
      "button",
      {
        type: "button",
        class: "point",
        "aria-pressed": String(at >= 0),
        "data-point": name,
        title: at >= 0 ? `Number ${at + 1} of the motion` : "Add it to the motion",
        onclick: () => this.points.toggle(name),
      },
      h("span", { class: "order number" }, at >= 0 ? String(at + 1) : ""),
      h("span", { class: "name" }, name),
    );
    if (!this.points.isRemovable(name)) {
      const from = h("span", { class: "badge", title: "A pose of the robot's own files" }, "robot");
      return h("li", {}, choose, from);
    }
    const remove = h(
      "button",
      {
        type: "button",
        class: "small plain",
        "aria-label": `Remove ${name}`,
        title: `Remove ${name}`,
        disabled: !this.cockpit.mayChange,
        onclick: () => void this.points.remove(name),
      },
      "×",
    );
    return h("li", {}, choose, remove);
  }

  private update(): void {
    const { points, move } = this;
    toggle(this.element, move.tools.current?.mover !== undefined);
    const signature = JSON.stringify([points.names, points.chosen, this.cockpit.mayChange]);
    if (signature !== this.signature) {
      this.signature = signature;
      replaceRows(
        this.list,
        "point",
        points.names.map((name) => this.row(name)),
      );
    }
    this.name.placeholder = points.nextName;
    this.save.disabled = !this.cockpit.mayChange;
    const count = points.chosen.length;
    this.show.disabled = this.run.disabled = count === 0 || !move.isPossible || move.isMoving;
    setText(this.how, this.hint(count));
    setText(this.verdict, points.movements.failure);
    this.verdict.classList.toggle("bad", points.movements.failure !== "");
  }

  private hint(count: number): string {
    if (this.points.names.length === 0) {
      return "Jog the tool to a place, then save it.";
    }
    if (count === 0) {
      return "Tap points in the order in which the tool shall pass them.";
    }
    const way = this.move.kind === "lin" ? "on straight lines" : "in joint space";
    return `${this.points.chosen.join(" → ")}, ${way}`;
  }
}
