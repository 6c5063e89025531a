// The setup page: limbs, poses and limits of the robot, and the property file that keeps them.
import type { Cockpit } from "../system/cockpit";
import type { Movements } from "../system/movements";
import { h, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";
import { FileCard } from "./file_card";
import { LimbsCard } from "./limbs_card";
import { LimitsCard } from "./limits_card";
import { PosesCard } from "./poses_card";
import { isBeingEdited } from "./rows";
import { Setup } from "./setup";

export class SetupPanel {
  readonly element: HTMLElement;
  readonly setup: Setup;

  constructor(cockpit: Cockpit, movements: Movements) {
    this.setup = new Setup(cockpit);
    const cards = [
      new LimbsCard(this.setup),
      new PosesCard(this.setup, movements),
      new LimitsCard(this.setup),
    ];
    const file = new FileCard(this.setup);
    const forms = h("div", { class: "panel" }, ...cards.map(({ element }) => element));
    const text = h("div", { class: "panel" }, file.element);
    this.element = h("div", {}, forms, text, file.bar);
    let names = "";
    let isLate = false;
    const update = () => {
      const { missing, unreadable } = this.setup;
      const canEdit = cockpit.mayChange && missing === "";
      toggle(forms, missing === "");
      // Rows are made anew: what is being typed must not be lost.
      isLate = forms.contains(document.activeElement) && isBeingEdited(document.activeElement);
      if (!isLate) {
        cards.forEach((card) => card.update(canEdit && unreadable === ""));
      }
      file.update(canEdit);
    };
    const later = () => nextFrame(update);
    const enter = ({ target }: Event) => {
      if (target instanceof HTMLInputElement) {
        target.defaultValue = target.value;
      }
    };
    forms.addEventListener("change", enter, true); // before the field's own listener
    forms.addEventListener("focusout", () => isLate && later());
    this.setup.onChange.on(later);
    cockpit.onLimbs.on(later);
    cockpit.onConnection.on(later);
    cockpit.onAdvertised.on(() => this.shown()); // the program may have been started again
    movements.onChange.on(() => {
      const now = movements.list.map(({ name }) => name).join("\n");
      if (now !== names) {
        names = now;
        later();
      }
    });
    update();
  }

  shown(): void {
    if (this.element.offsetParent !== null) {
      void this.setup.load();
    }
  }
}
