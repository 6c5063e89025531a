// Poses with names: the present one as home or rest, points of the tool page, those of the file.
import { isPose, isStated, type Movements } from "../system/movements";
import { h, replaceRows, toggle } from "../ui/dom";
import { removePose, setPose } from "./properties";
import { field, note, refusalNote } from "./rows";
import type { Setup } from "./setup";

const USUAL = ["home", "rest"];

export class PosesCard {
  readonly element: HTMLElement;
  private readonly list = h("ul", { class: "setup-rows poses-list", "aria-label": "Poses" });
  private readonly points = h("div", { class: "setup-points", role: "group" });
  private readonly pointsField: HTMLElement;
  private readonly name = h("input", {
    type: "text",
    id: "setup-pose-name",
    autocomplete: "off",
    list: "setup-pose-names",
    placeholder: "home",
  });
  private readonly keep = h("button", { type: "submit", class: "small" }, "Take the present pose");

  constructor(
    private readonly setup: Setup,
    private readonly movements: Movements,
  ) {
    const names = USUAL.map((name) => h("option", { value: name }));
    const form = h(
      "form",
      { class: "row" },
      field("Name", this.name, "the pose"),
      this.keep,
      h("datalist", { id: "setup-pose-names" }, ...names),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.take(this.name.value.trim() || "home");
      this.name.value = "";
    });
    this.points.setAttribute("aria-label", "Points of the library");
    this.pointsField = h(
      "div",
      {},
      note("quiet", "Points of the library that the file does not have:"),
      this.points,
    );
    this.element = h(
      "section",
      { class: "card", id: "setup-poses" },
      h("h3", {}, "Poses"),
      this.list,
      form,
      this.pointsField,
    );
  }

  private take(name: string): void {
    const pose = this.setup.presentPose;
    this.setup.edit((text) => setPose(text, name, pose));
  }

  private async takePoint(name: string): Promise<void> {
    try {
      const pose = await this.setup.point(name);
      this.setup.edit((text) => setPose(text, name, pose));
    } catch (error) {
      this.setup.cockpit.onNotice.emit((error as Error).message);
    }
  }

  update(canEdit: boolean): void {
    const { poses } = this.setup.properties;
    const library = this.movements.list.filter((pose) => isPose(pose) && !isStated(pose));
    const hidden = new Set(library.map(({ name }) => name));
    replaceRows(
      this.list,
      "setup",
      [...poses].map(([name, pose]) => this.row(name, pose, hidden.has(name), canEdit)),
    );
    const others = library.filter(({ name }) => !poses.has(name));
    replaceRows(
      this.points,
      "setup",
      others.map(({ name }) => this.point(name, canEdit)),
    );
    toggle(this.pointsField, others.length > 0);
    this.keep.disabled = this.name.disabled = !canEdit || this.setup.cockpit.joints.length === 0;
  }

  private point(name: string, canEdit: boolean): HTMLElement {
    return h(
      "button",
      {
        type: "button",
        class: "small",
        "data-setup": `point ${name}`,
        "aria-label": `Write the point ${name} into the file`,
        disabled: !canEdit,
        onclick: () => void this.takePoint(name),
      },
      name,
    );
  }

  private row(
    name: string,
    pose: Map<string, number>,
    isHidden: boolean,
    canEdit: boolean,
  ): HTMLElement {
    const button = (text: string, label: string, act: () => void, kind = "small") =>
      h(
        "button",
        {
          type: "button",
          class: kind,
          "aria-label": label,
          title: label,
          "data-setup": `${label}`,
          disabled: !canEdit,
          onclick: act,
        },
        text,
      );
    const values = [...pose].map(([joint, value]) => `${joint} ${value}`).join(", ");
    return h(
      "li",
      { "data-pose-row": name },
      h("span", { class: "name", title: values }, name),
      button("Present pose", `Take the present pose as ${name}`, () => this.take(name)),
      button(
        "×",
        `Remove the pose ${name}`,
        () => this.setup.edit((text) => removePose(text, name)),
        "small plain",
      ),
      isHidden && note("quiet", "A point of the library with this name is used instead of it."),
      refusalNote(this.setup, ["poses"], name),
    );
  }
}
