// Sending the robot to a place: over the picture, while the user drags the ghost of the robot.
import type { Cockpit } from "../system/cockpit";
import type { MoveBase } from "../walk/move_base";
import { byId, h, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";

const GAITS = ["trot", "walk", "walk_overlap", "pace"];

export class MoveBasePanel {
  private readonly box = byId("move-base");
  private readonly gait = h("select", { "aria-label": "Gait of the plan" });
  private readonly text = h("p", { role: "status" });
  private readonly go = h("button", { type: "button", class: "primary", id: "go" }, "Go");
  private readonly cancel = h("button", { type: "button" }, "Cancel");

  constructor(
    cockpit: Cockpit,
    private readonly moveBase: MoveBase,
  ) {
    const option = (name: string) => h("option", { value: name }, name.replaceAll("_", " "));
    this.gait.append(...GAITS.map(option));
    this.gait.addEventListener("change", () => moveBase.choose(this.gait.value));
    this.go.addEventListener("click", () => void moveBase.go());
    this.cancel.addEventListener("click", () => void moveBase.cancel());
    this.box.append(this.text, h("div", { class: "row" }, this.gait, this.go, this.cancel));
    const update = () => this.update();
    moveBase.onChange.on(() => nextFrame(update));
    cockpit.onStop.on(() => nextFrame(update));
  }

  private update(): void {
    const { place, plan, failure, isMoving, isAsking } = this.moveBase;
    toggle(this.box, place !== undefined);
    this.gait.value = this.moveBase.gait;
    this.box.classList.toggle("bad", failure !== "");
    this.go.disabled = plan === undefined || isMoving || isAsking || failure !== "";
    this.gait.disabled = isMoving;
    if (failure !== "") {
      setText(this.text, failure);
    } else if (isMoving) {
      setText(this.text, "Walking to the ghost…");
    } else if (plan === undefined) {
      setText(
        this.text,
        "Drag the ghost to where the robot shall stand; the handle on the ring turns it.",
      );
    } else {
      setText(this.text, `${plan.footholds.length} steps in ${plan.duration.toFixed(1)} s`);
    }
  }
}
