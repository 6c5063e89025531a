// A motion of the tool before it is made: over the picture, with what it would be, and Run or Cancel.
import type { Cockpit } from "../system/cockpit";
import type { Kind, ToolMove } from "../tool/tool_move";
import { byId, h, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";

const KINDS: [Kind, string][] = [
  ["lin", "Line"],
  ["ptp", "Joints"],
];

export class ToolMotionPanel {
  private readonly box = byId("tool-motion");
  private readonly kind = h("select", { "aria-label": "How the tool goes" });
  private readonly speed = h("input", {
    type: "range",
    min: 0.05,
    max: 1,
    step: 0.05,
    "aria-label": "Speed of the motion",
  });
  private readonly text = h("p", { role: "status" });
  private readonly run = h("button", { type: "button", class: "primary", id: "tool-run" });
  private readonly cancel = h("button", { type: "button", id: "tool-cancel" }, "Cancel");

  constructor(
    cockpit: Cockpit,
    private readonly move: ToolMove,
  ) {
    this.kind.append(...KINDS.map(([value, text]) => h("option", { value }, text)));
    this.kind.title = "Line: the tool goes straight. Joints: each joint goes straight.";
    this.kind.addEventListener("change", () => move.choose(this.kind.value as Kind));
    this.speed.title = "Share of the full speed";
    this.speed.addEventListener("change", () => move.setSpeed(this.speed.valueAsNumber));
    this.run.addEventListener("click", () => void move.run());
    this.cancel.addEventListener("click", () => void move.cancel());
    const row = h("div", { class: "row" }, this.kind, this.speed, this.run, this.cancel);
    this.box.append(this.text, row);
    const update = () => this.update();
    move.onChange.on(() => nextFrame(update));
    cockpit.onStop.on(() => nextFrame(update));
    cockpit.onConnection.on(() => nextFrame(update));
    this.update();
  }

  private update(): void {
    const { move } = this;
    toggle(this.box, move.isOpen);
    this.kind.value = move.kind;
    this.speed.value = String(move.speed);
    this.kind.disabled = this.speed.disabled = move.isMoving;
    this.run.disabled = !move.canRun || move.isAsking;
    const isShort = move.obstacle !== "";
    setText(this.run, isShort ? "Go near" : "Run");
    this.run.title = isShort ? "Go as near as possible" : "Make this motion";
    this.run.setAttribute("aria-label", this.run.title);
    setText(this.cancel, move.isMoving ? "Stop" : "Cancel");
    this.box.classList.toggle("bad", isShort || move.failure !== "");
    setText(this.text, this.say());
  }

  private say(): string {
    const { failure, isMoving, preview, obstacle } = this.move;
    if (failure !== "") {
      return failure;
    }
    if (isMoving) {
      return "The tool moves to the ghost…";
    }
    if (preview === undefined) {
      return "Drag an arrow, a plane or a ring of the gizmo.";
    }
    return obstacle || `${preview.duration.toFixed(1)} s; the ghost shows the end.`;
  }
}
