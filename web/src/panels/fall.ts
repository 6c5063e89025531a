// A fall of the robot, and the way back to its feet.
import type { Cockpit } from "../system/cockpit";
import { byId, h, setText, toggle } from "../ui/dom";

export class FallBanner {
  private readonly detail = h("span", {});
  private readonly up = h("button", { type: "button", id: "upright" }, "Put back on its feet");
  private readonly box: HTMLElement;

  constructor(private readonly cockpit: Cockpit) {
    this.box = h(
      "div",
      { id: "fallen", hidden: true },
      h("div", { role: "alert" }, h("strong", {}, "Fallen"), " ", this.detail),
      this.up,
    );
    this.up.addEventListener("click", () => void this.standUp());
    byId("notices").append(this.box);
    const update = () => this.update();
    cockpit.onFall.on(update);
    cockpit.onRoles.on(update);
    cockpit.onConnection.on(update);
  }

  private async standUp(): Promise<void> {
    const { upright, aggregator } = this.cockpit.roles;
    if (upright === undefined) {
      return;
    }
    this.up.disabled = true;
    const isUp = await this.cockpit.do(upright, "putOnFeet");
    if (isUp && aggregator !== undefined && this.cockpit.stop?.stopped) {
      await this.cockpit.do(aggregator, "resume", { name: "cockpit" });
    }
    this.update();
  }

  private update(): void {
    const { fall, roles, mayChange } = this.cockpit;
    toggle(this.box, fall?.fallen === true);
    document.body.classList.toggle("is-fallen", fall?.fallen === true);
    setText(this.detail, fall === undefined ? "" : `The robot ${fall.reason}.`);
    toggle(this.up, roles.upright !== undefined);
    this.up.disabled = !mayChange;
  }
}
