// A slider for each joint, in groups by limb.
import type { Cockpit } from "../system/cockpit";
import { type Limb, shortNames } from "../system/limbs";
import { Sliders } from "../system/sliders";
import { h, setText, toggle } from "../ui/dom";
import { soon } from "../ui/frame";
import { Units } from "./units";

export interface Limits {
  lower: number;
  upper: number;
  isAngle: boolean;
}

/** Limits of the joints as the URDF states them; what has none may turn once around. */
export function readLimits(urdf: string): Map<string, Limits> {
  const limits = new Map<string, Limits>();
  const page = new DOMParser().parseFromString(urdf, "application/xml");
  for (const joint of page.querySelectorAll("robot > joint")) {
    const type = joint.getAttribute("type");
    const limit = joint.querySelector("limit");
    const number = (name: string) => Number(limit?.getAttribute(name) ?? NaN);
    const isAngle = type !== "prismatic";
    const free = isAngle ? Math.PI : 1;
    const isBounded = type !== "continuous" && limit !== null;
    limits.set(joint.getAttribute("name") ?? "", {
      lower: isBounded ? number("lower") || 0 : -free,
      upper: isBounded ? number("upper") || 0 : free,
      isAngle,
    });
  }
  return limits;
}

class Row {
  readonly element: HTMLElement;
  private readonly range: HTMLInputElement;
  private readonly entry: HTMLInputElement;
  private readonly measured: HTMLElement;
  private readonly wrapper: HTMLElement;
  private shown = NaN;
  private shownMeasured = NaN;
  private isEditing = false;

  constructor(
    private readonly panel: JointsPanel,
    private readonly limb: Limb,
    readonly joint: string,
    label: string,
    private readonly limits: Limits,
  ) {
    this.range = h("input", {
      type: "range",
      min: limits.lower,
      max: limits.upper,
      step: "any",
      value: 0,
      "aria-label": joint,
      "data-joint": joint,
      oninput: () => this.set(this.range.valueAsNumber),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    });
    this.entry = h("input", {
      type: "text",
      inputmode: "decimal",
      class: "number",
      autocomplete: "off",
      "aria-label": `${joint}, value`,
      onfocus: () => {
        this.isEditing = true;
        this.entry.select();
      },
      onblur: () => this.endEdit(),
      onkeydown: (event: KeyboardEvent) => this.editKey(event),
    });
    this.measured = h("output", { class: "number quiet", "aria-label": `${joint}, measured` });
    this.wrapper = h("div", { class: "track" }, this.range);
    this.element = h(
      "div",
      { class: "joint", role: "group", "aria-label": joint },
      h(
        "button",
        {
          class: "name",
          type: "button",
          title: `Plot ${joint}`,
          onclick: () => panel.onPlot(joint),
        },
        label,
      ),
      this.wrapper,
      this.entry,
      this.measured,
    );
  }

  private set(value: number): void {
    const inside = Math.min(this.limits.upper, Math.max(this.limits.lower, value));
    this.panel.move(this.limb.name, this.joint, inside);
  }

  private key(event: KeyboardEvent): void {
    const range = this.limits.upper - this.limits.lower;
    const step = (event.shiftKey ? 0.1 : 0.01) * range;
    const steps: Record<string, number> = {
      ArrowRight: step,
      ArrowUp: step,
      ArrowLeft: -step,
      ArrowDown: -step,
      PageUp: 0.1 * range,
      PageDown: -0.1 * range,
    };
    const by = steps[event.key];
    if (by !== undefined) {
      event.preventDefault();
      this.set((this.panel.sliders.value(this.joint) ?? 0) + by);
    }
  }

  private editKey(event: KeyboardEvent): void {
    if (event.key === "Enter") {
      const value = Number(this.entry.value.replace(",", ".").replace("−", "-"));
      if (this.entry.value.trim() === "" || !Number.isFinite(value)) {
        this.entry.setAttribute("aria-invalid", "true");
        return;
      }
      this.entry.removeAttribute("aria-invalid");
      this.set(this.panel.units.toSi(value, this.limits.isAngle));
      this.entry.select();
    } else if (event.key === "Escape") {
      this.endEdit();
      this.range.focus();
    }
  }

  private endEdit(): void {
    this.isEditing = false;
    this.entry.removeAttribute("aria-invalid");
    this.redraw();
  }

  redraw(): void {
    this.shown = this.shownMeasured = NaN;
    this.update();
  }

  setEnabled(isEnabled: boolean): void {
    this.range.disabled = this.entry.disabled = !isEnabled;
  }

  update(): void {
    const { sliders, units, cockpit } = this.panel;
    const value = sliders.value(this.joint);
    if (value !== undefined && value !== this.shown) {
      this.shown = value;
      this.range.valueAsNumber = value;
      this.range.setAttribute("aria-valuetext", units.text(value, this.limits.isAngle, true));
      if (!this.isEditing) {
        this.entry.value = units.text(value, this.limits.isAngle);
      }
    }
    const measured = cockpit.measured.positionOf(this.joint);
    if (measured !== undefined && Math.abs(measured - this.shownMeasured) < 1e-5) {
      return;
    }
    this.shownMeasured = measured ?? NaN;
    this.wrapper.classList.toggle("has-measured", measured !== undefined);
    setText(this.measured, measured === undefined ? "" : units.text(measured, this.limits.isAngle));
    if (measured !== undefined) {
      const part = (measured - this.limits.lower) / (this.limits.upper - this.limits.lower);
      this.wrapper.style.setProperty("--measured", String(Math.min(1, Math.max(0, part))));
    }
  }
}

class Group {
  readonly element: HTMLElement;
  readonly rows: Row[];
  private readonly owner = h("span", { class: "badge" });
  private readonly button = h("button", { type: "button", class: "small" });

  constructor(
    private readonly panel: JointsPanel,
    private readonly limb: Limb,
    limits: Map<string, Limits>,
  ) {
    const labels = shortNames(limb.joints);
    this.rows = limb.joints.map(
      (joint, i) => new Row(panel, limb, joint, labels[i]!, limits.get(joint) ?? readDefault()),
    );
    this.button.addEventListener("click", () => void this.panel.takeOrRelease(limb));
    this.element = h(
      "section",
      { class: "limb", "data-limb": limb.name, "aria-label": limb.name || "other joints" },
      h("header", {}, h("h3", {}, limb.name || "Other joints"), this.owner, this.button),
      ...this.rows.map((row) => row.element),
    );
  }

  updateOwner(): void {
    const { cockpit, sliders } = this.panel;
    const owner = cockpit.ownerOf(this.limb.name);
    const isOurs = sliders.mayMove(this.limb.name);
    const isAdopting = isOurs && sliders.isAdopting;
    const controller = cockpit.roles.sliders;
    setText(this.owner, isAdopting ? "adopting the pose…" : owner || "free");
    this.owner.classList.toggle("accent", isOurs);
    toggle(this.owner, cockpit.resources.includes(this.limb.name));
    setText(this.button, isOurs ? "Release" : "Take");
    this.button.setAttribute(
      "aria-label",
      isOurs ? `Release ${this.limb.name}` : `Take ${this.limb.name} to move it by sliders`,
    );
    toggle(
      this.button,
      controller !== undefined && cockpit.resources.includes(this.limb.name) && cockpit.mayChange,
    );
    this.element.classList.toggle("ours", isOurs);
    this.element.classList.toggle("adopting", isAdopting);
    this.rows.forEach((row) => row.setEnabled(isOurs && !isAdopting));
  }
}

const readDefault = (): Limits => ({ lower: -Math.PI, upper: Math.PI, isAngle: true });

export class JointsPanel {
  readonly element: HTMLElement;
  readonly sliders: Sliders;
  readonly units = new Units();
  /** The user wants to see this joint's curves. */
  onPlot: (joint: string) => void = () => undefined;
  private groups: Group[] = [];
  private limits = new Map<string, Limits>();
  private readonly list = h("div", { class: "limbs" });
  private readonly flush = () => this.sliders.flush();
  private wasAdopting = false;
  private readonly all = h("button", { type: "button", class: "small" }, "Take all");
  private readonly none = h("button", { type: "button", class: "small" }, "Release all");

  constructor(readonly cockpit: Cockpit) {
    this.sliders = new Sliders(cockpit);
    const unit = h("button", { type: "button", class: "small", title: "Unit of angles" }, "rad");
    unit.addEventListener("click", () => {
      setText(unit, this.units.switch());
      this.groups.forEach((group) => group.rows.forEach((row) => row.redraw()));
    });
    setText(unit, this.units.name);
    this.all.addEventListener("click", () => this.takeAll(true));
    this.none.addEventListener("click", () => this.takeAll(false));
    this.element = h(
      "div",
      { class: "panel" },
      h("div", { class: "row" }, this.all, this.none, h("span", { class: "spacer" }), unit),
      this.list,
    );
    const update = () => this.update();
    const owners = () => this.updateOwners();
    cockpit.onPose.on(() => soon(update));
    cockpit.onOwners.on(() => soon(owners));
    cockpit.onReset.on(() => soon(owners));
    cockpit.onRoles.on(() => soon(owners));
    cockpit.onConnection.on(() => soon(owners));
    cockpit.onLimbs.on(() => this.build());
    cockpit.onRobot.on(() => {
      this.limits = readLimits(cockpit.urdf);
      this.build();
    });
  }

  private takeAll(isOn: boolean): void {
    const { sliders } = this.cockpit.roles;
    if (sliders !== undefined) {
      const resources = isOn ? this.cockpit.resources : [];
      void this.cockpit.do(sliders, "setOperational", { operational: isOn, resources });
    }
  }

  async takeOrRelease(limb: Limb): Promise<void> {
    const { sliders } = this.cockpit.roles;
    if (sliders !== undefined) {
      const isOurs = this.cockpit.ownerOf(limb.name) === sliders.name;
      await (isOurs
        ? this.cockpit.release(sliders, [limb.name])
        : this.cockpit.take(sliders, [limb.name]));
    }
  }

  move(limb: string, joint: string, value: number): void {
    if (this.sliders.set(limb, joint, value)) {
      soon(this.flush);
    }
    soon(this.updateSoon);
  }

  private readonly updateSoon = () => this.update();

  private build(): void {
    this.groups = this.cockpit.limbs.map((limb) => new Group(this, limb, this.limits));
    this.list.replaceChildren(...this.groups.map((group) => group.element));
    this.updateOwners();
    this.update();
  }

  private updateOwners(): void {
    const { roles, mayChange } = this.cockpit;
    toggle(this.all, roles.sliders !== undefined && mayChange);
    toggle(this.none, roles.sliders !== undefined && mayChange);
    this.groups.forEach((group) => group.updateOwner());
  }

  private update(): void {
    if (this.sliders.isAdopting !== this.wasAdopting) {
      this.wasAdopting = this.sliders.isAdopting;
      this.updateOwners();
    }
    this.list.classList.toggle("measures", this.cockpit.measured.isKnown);
    for (const group of this.groups) {
      for (const row of group.rows) {
        row.update();
      }
    }
  }
}
