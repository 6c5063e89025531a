// A slider for each joint, grouped by limb.
import type { Cockpit } from "../system/cockpit";
import { type Limb, shortNames } from "../system/limbs";
import { Sliders } from "../system/sliders";
import { h, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";
import { type JointHost, JointRow } from "./joint_row";
import type { Units } from "./units";

const HINT_MS = 6000;

class Group {
  readonly element: HTMLElement;
  readonly rows: JointRow[];
  private readonly owner = h("span", { class: "badge" });
  private readonly button = h("button", { type: "button", class: "small" });
  private readonly note = h("p", { class: "hint", role: "status", hidden: true });
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly panel: JointsPanel,
    private readonly limb: Limb,
  ) {
    const { cockpit } = panel;
    const labels = shortNames(limb.joints);
    this.rows = limb.joints.map(
      (joint, i) => new JointRow(panel, limb.name, joint, labels[i]!, cockpit.limitsOf(joint)),
    );
    this.button.addEventListener("click", () => void this.panel.takeOrRelease(limb));
    this.element = h(
      "section",
      { class: "limb", "data-limb": limb.name, "aria-label": limb.name || "other joints" },
      h("header", {}, h("h3", {}, limb.name || "Other joints"), this.owner, this.button),
      this.note,
      ...this.rows.map((row) => row.element),
    );
  }

  /** Show a text below a row for a few seconds. */
  hint(row: JointRow, text: string): void {
    row.element.after(this.note);
    setText(this.note, text);
    toggle(this.note, true);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.endHint(), HINT_MS);
  }

  private endHint(): void {
    toggle(this.note, false);
    this.button.classList.remove("wanted");
  }

  /** Why the sliders of this limb cannot be moved, and what to do; empty if they can. */
  private reason(): string {
    const { cockpit, sliders } = this.panel;
    const { name } = this.limb;
    if (cockpit.client.state !== "open") {
      return "Not connected to the robot.";
    }
    if (!cockpit.mayChange) {
      return "Enter the token above to move the robot.";
    }
    if (cockpit.roles.sliders === undefined) {
      return "This deployment has no controller for sliders.";
    }
    if (!cockpit.resources.includes(name)) {
      return "These joints do not belong to a limb, so no controller can take them.";
    }
    if (!sliders.mayMove(name)) {
      return `Take ${name} to move it.`;
    }
    return sliders.isAdopting ? `Taking over ${name}. One moment.` : "";
  }

  explain(row: JointRow): void {
    const reason = this.reason();
    if (reason !== "") {
      this.hint(row, reason);
      this.button.classList.toggle("wanted", !this.button.hidden);
    }
  }

  updateOwner(): void {
    const { cockpit, sliders } = this.panel;
    const { name } = this.limb;
    const owner = cockpit.ownerOf(name);
    const isOurs = sliders.mayMove(name);
    const isAdopting = isOurs && sliders.isAdopting;
    const controller = cockpit.roles.sliders;
    setText(this.owner, isAdopting ? "taking over…" : owner || "free");
    this.owner.title = owner === "" ? `No controller moves ${name}` : `${owner} moves ${name}`;
    this.owner.classList.toggle("accent", isOurs);
    toggle(this.owner, cockpit.resources.includes(name));
    setText(this.button, isOurs ? "Release" : "Take");
    const from = owner === "" ? "" : ` from ${owner}`;
    this.button.title = isOurs
      ? `Give ${name} back to its previous controller`
      : `Take ${name}${from} and move it with these sliders`;
    this.button.setAttribute("aria-label", isOurs ? `Release ${name}` : `Take ${name}`);
    const isTakeable = controller !== undefined && cockpit.resources.includes(name);
    toggle(this.button, isTakeable && cockpit.mayChange);
    if (isOurs) {
      this.button.classList.remove("wanted");
    }
    this.element.classList.toggle("ours", isOurs);
    this.element.classList.toggle("adopting", isAdopting);
    const reason = this.reason();
    this.rows.forEach((row) => row.setEnabled(reason));
  }
}

export class JointsPanel implements JointHost {
  readonly element: HTMLElement;
  readonly sliders: Sliders;
  /** The user wants to see the plots of this joint. */
  onPlot: (joint: string) => void = () => undefined;
  private groups: Group[] = [];
  private readonly list = h("div", { class: "limbs" });
  private readonly flush = () => this.sliders.flush();
  private wasAdopting = false;
  private readonly all = h(
    "button",
    { type: "button", class: "small", title: "Take all limbs and move them with these sliders" },
    "Take all",
  );
  private readonly none = h(
    "button",
    {
      type: "button",
      class: "small",
      title: "Give all limbs back to their previous controllers",
    },
    "Release all",
  );

  constructor(
    readonly cockpit: Cockpit,
    readonly units: Units,
  ) {
    this.sliders = new Sliders(cockpit);
    const unit = h("button", { type: "button", class: "small", id: "unit" }, units.name);
    const nameUnit = () => {
      setText(unit, units.name);
      unit.title = `Angles are in ${units.name === "rad" ? "radians" : "degrees"}. Click for ${units.name === "rad" ? "degrees" : "radians"}.`;
    };
    nameUnit();
    unit.addEventListener("click", () => units.switch());
    units.onChange.on(() => {
      nameUnit();
      this.groups.forEach((group) => group.rows.forEach((row) => row.redraw()));
      this.updateOwners();
    });
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
    cockpit.onPose.on(() => nextFrame(update));
    cockpit.onOwners.on(() => nextFrame(owners));
    cockpit.onReset.on(() => nextFrame(owners));
    cockpit.onRoles.on(() => nextFrame(owners));
    cockpit.onConnection.on(() => nextFrame(owners));
    cockpit.onLimbs.on(() => this.build());
    cockpit.onRobot.on(() => this.build());
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

  plot(joint: string): void {
    this.onPlot(joint);
  }

  move(limb: string, joint: string, value: number): void {
    if (this.sliders.set(limb, joint, value)) {
      nextFrame(this.flush);
    }
    nextFrame(this.updateSoon);
  }

  private groupOf(row: JointRow): Group | undefined {
    return this.groups.find((group) => group.rows.includes(row));
  }

  hint(row: JointRow, text: string): void {
    this.groupOf(row)?.hint(row, text);
  }

  explain(row: JointRow): void {
    this.groupOf(row)?.explain(row);
  }

  private readonly updateSoon = () => this.update();

  private build(): void {
    this.groups = this.cockpit.limbs.map((limb) => new Group(this, limb));
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
      this.sliders.flush();
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
