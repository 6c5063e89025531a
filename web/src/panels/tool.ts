// The tab of a tool: which one, the jog pad, the points.
import type { Cockpit } from "../system/cockpit";
import type { Movements } from "../system/movements";
import { Points } from "../tool/points";
import type { RobotView } from "../view/robot_view";
import { h, toggle } from "../ui/dom";
import { JogCard } from "./jog";
import { PointsCard } from "./points";

export class ToolPanel {
  readonly element: HTMLElement;
  readonly jog: JogCard;
  private readonly choice = h("select", { "aria-label": "Tool" });

  constructor(cockpit: Cockpit, view: RobotView, movements: Movements) {
    const { toolMove } = view;
    const { tools } = toolMove;
    this.jog = new JogCard(cockpit, tools);
    this.jog.onFrame = (frame) => {
      view.axes = frame === "tool" ? "local" : "world";
      view.stage.draw();
    };
    const points = new PointsCard(cockpit, new Points(cockpit, movements, toolMove), toolMove);
    this.element = h("div", { class: "panel" }, this.choice, this.jog.element, points.element);
    this.choice.addEventListener("change", () => tools.choose(this.choice.value));
    tools.onChange.on(() => {
      toggle(this.choice, tools.list.length > 1);
      const option = (chain: string) => h("option", { value: chain }, chain);
      this.choice.replaceChildren(...tools.list.map(({ chain }) => option(chain)));
      this.choice.value = tools.current?.chain ?? "";
    });
  }
}
