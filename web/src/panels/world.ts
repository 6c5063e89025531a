// Drawing a box that the robot must not touch: over the picture. Lists the objects that are there, to remove them.
import type { Collision } from "../system/collision";
import type { Point } from "../system/messages";
import { byId, h, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";

const AXES = ["x", "y", "z"] as const;

export class WorldPanel {
  private readonly box = byId("world");
  private readonly text = h("p", { role: "status" });
  private readonly name = h("input", { type: "text", "aria-label": "Name", maxlength: 60 });
  private readonly edges: Record<keyof Point, HTMLInputElement>;
  private readonly add = h("button", { type: "button", class: "primary", id: "add-box" }, "Add");
  private readonly list = h("ul");
  private listed = "";

  constructor(private readonly collision: Collision) {
    const edge = (axis: string) =>
      h("input", {
        type: "text",
        inputmode: "decimal",
        class: "edge",
        "aria-label": `Length along ${axis}, m`,
        title: `Length along ${axis}, m`,
      });
    this.edges = { x: edge("x"), y: edge("y"), z: edge("z") };
    AXES.forEach((axis) => this.edges[axis].addEventListener("change", () => this.resize(axis)));
    this.name.addEventListener("input", () => collision.rename(this.name.value));
    this.add.addEventListener("click", () => void collision.add());
    const cancel = h("button", { type: "button", onclick: () => collision.close() }, "Cancel");
    this.box.append(
      this.text,
      h("div", { class: "row" }, this.name, ...AXES.map((axis) => this.edges[axis]), "m"),
      h("div", { class: "row" }, this.add, cancel),
      this.list,
    );
    collision.onChange.on(() => nextFrame(this.update));
  }

  private resize(axis: keyof Point): void {
    const { box } = this.collision;
    const value = Number(this.edges[axis].value);
    if (box !== undefined && value > 0) {
      this.collision.resize({ ...box.size, [axis]: value });
    }
  }

  private readonly update = (): void => {
    const { box, failure, objects } = this.collision;
    toggle(this.box, box !== undefined);
    if (box === undefined) {
      return;
    }
    this.box.classList.toggle("bad", failure !== "");
    setText(
      this.text,
      failure || "Drag the box to its place; the handle at its corner resizes it.",
    );
    this.add.disabled = box.name.trim() === "";
    if (this.name.value !== box.name) {
      this.name.value = box.name;
    }
    for (const axis of AXES) {
      if (document.activeElement !== this.edges[axis]) {
        this.edges[axis].value = box.size[axis].toFixed(2);
      }
    }
    this.showList(objects.map(({ name }) => name));
  };

  private showList(names: string[]): void {
    if (this.listed === names.join("\n")) {
      return;
    }
    this.listed = names.join("\n");
    const row = (name: string) =>
      h(
        "li",
        {},
        h("span", {}, name),
        h(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-label": `Remove ${name}`,
            onclick: () => void this.collision.remove(name),
          },
          "Remove",
        ),
      );
    this.list.replaceChildren(...names.map(row));
  }
}
