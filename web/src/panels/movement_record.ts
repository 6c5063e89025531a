// Record a movement by hand: some limbs go limp, people move them, the samples become a file.
import type { Cockpit } from "../system/cockpit";
import type { Movements } from "../system/movements";
import { ask } from "../ui/ask";
import { h, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";

export class RecordCard {
  readonly element: HTMLElement;
  private readonly name = h("input", {
    type: "text",
    name: "movement",
    autocomplete: "off",
    placeholder: "name",
    "aria-label": "Name of the new movement",
  });
  private readonly limbs = h("div", {
    class: "row",
    role: "group",
    "aria-label": "Limbs to record",
  });
  private readonly record = h("button", { type: "submit" }, "Record");
  private readonly pose = h("button", { type: "button" }, "Save pose");
  private readonly save = h("button", { type: "button", class: "primary" }, "Save");
  private readonly drop = h("button", { type: "button" }, "Discard");
  private readonly time = h("span", { role: "status" });
  private readonly form: HTMLFormElement;
  private readonly running: HTMLElement;
  private readonly chosen = new Set<string>();
  private signature = "";

  constructor(
    private readonly cockpit: Cockpit,
    private readonly movements: Movements,
  ) {
    this.record.title = "The chosen limbs go limp: move them by hand, then save";
    this.pose.title = "Save the present pose of all joints";
    this.form = h(
      "form",
      { class: "record-form" },
      this.limbs,
      h("div", { class: "row" }, this.name, this.record, this.pose),
    );
    this.running = h("div", { class: "row" }, this.time, this.save, this.drop);
    this.element = h(
      "section",
      { class: "card", id: "movement-record" },
      h("h3", {}, "Record by hand"),
      this.form,
      this.running,
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.begin();
    });
    this.pose.addEventListener("click", () => void this.movements.savePose(this.name.value.trim()));
    this.save.addEventListener("click", () => void this.movements.save());
    this.drop.addEventListener("click", () => void this.movements.drop());
    this.name.addEventListener("input", () => this.update());
    const update = () => this.update();
    movements.onChange.on(() => nextFrame(update));
    cockpit.onOwners.on(() => nextFrame(update));
    cockpit.onConnection.on(() => nextFrame(update));
    this.update();
  }

  private async begin(): Promise<void> {
    const { cockpit } = this;
    const limbs = cockpit.resources.filter((name) => this.chosen.has(name));
    const losesStand = limbs.some((name) => cockpit.feet.includes(name));
    const isSure =
      !losesStand ||
      (await ask({
        title: `Make ${limbs.join(", ")} limp?`,
        text: "The robot stands on these limbs and will fall: support it first.",
        yes: "Go limp and record",
      }));
    if (isSure) {
      await this.movements.record(this.name.value.trim(), limbs);
    }
  }

  private updateLimbs(): void {
    const { resources, mayChange } = this.cockpit;
    const signature = JSON.stringify([resources, mayChange]);
    if (signature === this.signature) {
      return;
    }
    this.signature = signature;
    const box = (limb: string) => {
      const check = h("input", {
        type: "checkbox",
        checked: this.chosen.has(limb),
        disabled: !mayChange,
        "data-limb": limb,
      });
      check.addEventListener("change", () => {
        this.chosen[check.checked ? "add" : "delete"](limb);
        this.update();
      });
      return h("label", {}, check, ` ${limb}`);
    };
    this.limbs.replaceChildren(...resources.map(box));
  }

  private update(): void {
    const { state } = this.movements;
    const isRecording = state?.state === "recording";
    this.updateLimbs();
    toggle(this.form, !isRecording);
    toggle(this.running, isRecording);
    const { mayChange, resources } = this.cockpit;
    const mayBegin = mayChange && this.name.value.trim() !== "" && !this.movements.isBusy;
    this.record.disabled = !mayBegin || !resources.some((name) => this.chosen.has(name));
    this.pose.disabled = !mayBegin;
    this.save.disabled = this.drop.disabled = !mayChange;
    if (isRecording) {
      setText(this.time, `Recording ${state.name}: ${state.elapsed.toFixed(1)} s`);
    }
  }
}
