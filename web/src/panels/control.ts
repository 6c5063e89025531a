// The owner of each limb, as a table: rows are limbs, columns are controllers. A click gives a limb to a
// controller, or back.
import type { Cockpit } from "../system/cockpit";
import { type ComponentInfo, makesLimp } from "../system/components";
import { ask, dismiss } from "../ui/ask";
import { h, setText, toggle, wordBreaks } from "../ui/dom";
import { throttle, nextFrame } from "../ui/frame";

/** Whole millimetres, without negative zero. */
const millimetres = (metres: number): string => String(Math.round(1000 * metres) + 0);

export class ControlPanel {
  readonly element: HTMLElement;
  private readonly table = h("table", { class: "owners" });
  private readonly balance = h("dl", { class: "facts" });
  private readonly balanceCard: HTMLElement;
  private readonly reason = h("p", { class: "quiet" });
  private signature = "";

  constructor(private readonly cockpit: Cockpit) {
    this.balanceCard = h("section", { class: "card" }, h("h3", {}, "Balance"), this.balance);
    this.element = h(
      "div",
      { class: "panel" },
      h("section", { class: "card" }, h("h3", {}, "Who moves what"), this.table, this.reason),
      this.balanceCard,
    );
    const owners = () => this.updateOwners();
    cockpit.onOwners.on(() => nextFrame(owners));
    cockpit.onRoles.on(() => nextFrame(owners));
    cockpit.onConnection.on(() => {
      dismiss();
      nextFrame(owners);
    });
    cockpit.onStop.on(() => {
      if (cockpit.stop?.stopped) {
        dismiss();
      }
    });
    cockpit.onBalance.on(throttle(5, () => this.updateBalance()));
    this.updateBalance();
  }

  /** Ask before the last limb with torque goes limp. */
  private async confirmLimp(controller: ComponentInfo, limbs: string[]): Promise<boolean> {
    const { cockpit } = this;
    const isLimp = (name: string) =>
      limbs.includes(name) || cockpit.ownerOf(name) === controller.name;
    if (!makesLimp(controller) || !cockpit.resources.every(isLimp)) {
      return true;
    }
    return ask({
      title: "Switch off the torque of the whole robot?",
      text: "All joints go limp. A standing robot will fall: support it first.",
      yes: "Torque off",
    });
  }

  /** All limbs of a controller at once. */
  private async switchAll(controller: ComponentInfo, isOn: boolean): Promise<void> {
    if (!isOn || (await this.confirmLimp(controller, this.cockpit.resources))) {
      await this.cockpit.do(controller, "setOperational", { operational: isOn, resources: [] });
    }
  }

  private async switchLimb(controller: ComponentInfo, limb: string, isOn: boolean): Promise<void> {
    if (!isOn) {
      await this.cockpit.release(controller, [limb]);
    } else if (await this.confirmLimp(controller, [limb])) {
      await this.cockpit.take(controller, [limb]);
    }
  }

  private switchTitle(controller: ComponentInfo, isOn: boolean): string {
    if (makesLimp(controller)) {
      return isOn
        ? `Torque on: ${controller.name} gives all its limbs back`
        : "Torque off: the whole robot goes limp";
    }
    return isOn
      ? `${controller.name} gives all its limbs back`
      : `${controller.name} takes all limbs that it can move`;
  }

  private head(controllers: ComponentInfo[]): HTMLElement {
    const { cockpit } = this;
    const cell = (controller: ComponentInfo) => {
      const isOn = cockpit.ownedBy(controller.name).length > 0;
      const title = this.switchTitle(controller, isOn);
      const button = h(
        "button",
        {
          type: "button",
          role: "switch",
          class: makesLimp(controller) ? "switch limp" : "switch",
          "aria-checked": String(isOn),
          "aria-label": `${controller.name}: all limbs`,
          disabled: !cockpit.mayChange || controller.state !== "running",
          title:
            controller.state === "running" ? title : `${controller.name} is ${controller.state}`,
          "data-controller": controller.name,
        },
        h("span", {}),
      );
      button.addEventListener("click", () => void this.switchAll(controller, !isOn));
      return h(
        "th",
        { scope: "col", title: `${controller.name}: ${controller.doc}` },
        h("div", {}, ...wordBreaks(controller.name)),
        button,
      );
    };
    return h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Limb"), ...controllers.map(cell)));
  }

  private cellTitle(limb: string, controller: ComponentInfo, isOwner: boolean): string {
    if (makesLimp(controller)) {
      return isOwner
        ? `${limb} is limp: click to switch its torque on`
        : `Switch off the torque of ${limb}`;
    }
    return isOwner
      ? `${controller.name} moves ${limb}: click to give it back`
      : `Give ${limb} to ${controller.name}`;
  }

  private row(limb: string, controllers: ComponentInfo[]): HTMLElement {
    const { cockpit } = this;
    const owner = cockpit.ownerOf(limb);
    const cell = (controller: ComponentInfo) => {
      const isOwner = owner === controller.name;
      const title = this.cellTitle(limb, controller, isOwner);
      const button = h(
        "button",
        {
          type: "button",
          class: makesLimp(controller) ? "cell limp" : "cell",
          "aria-pressed": String(isOwner),
          "aria-label": title,
          title,
          "data-limb": limb,
          "data-controller": controller.name,
          disabled: !cockpit.mayChange || controller.state !== "running",
        },
        makesLimp(controller) ? (isOwner ? "limp" : "go limp") : h("span", {}),
      );
      button.addEventListener("click", () => void this.switchLimb(controller, limb, !isOwner));
      return h("td", {}, button);
    };
    const others = owner === "" || controllers.some((controller) => controller.name === owner);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, limb, !others && h("span", { class: "badge" }, owner)),
      ...controllers.map(cell),
    );
  }

  private updateOwners(): void {
    const { cockpit } = this;
    const { controllers } = cockpit.roles;
    const signature = JSON.stringify([
      [...cockpit.owners],
      controllers.map((controller) => [controller.name, controller.state]),
      cockpit.mayChange,
    ]);
    if (signature === this.signature) {
      return;
    }
    this.signature = signature;
    const focus = document.activeElement as HTMLElement | null;
    const { limb, controller } = this.table.contains(focus) ? focus!.dataset : {};
    this.table.replaceChildren(
      this.head(controllers),
      h("tbody", {}, ...cockpit.resources.map((name) => this.row(name, controllers))),
    );
    // The table was rebuilt: restore the focus.
    if (controller !== undefined) {
      const selector =
        limb === undefined
          ? `[role=switch][data-controller="${CSS.escape(controller)}"]`
          : `[data-limb="${CSS.escape(limb)}"][data-controller="${CSS.escape(controller)}"]`;
      this.table.querySelector<HTMLElement>(selector)?.focus();
    }
    const free = cockpit.resources.filter((name) => cockpit.ownerOf(name) === "");
    setText(
      this.reason,
      free.length === 0
        ? ""
        : `No controller moves ${free.join(", ")}; ${free.length === 1 ? "it holds its" : "they hold their"} position.`,
    );
  }

  private updateBalance(): void {
    const { balance, battery } = this.cockpit;
    toggle(this.balanceCard, balance !== undefined);
    if (balance === undefined) {
      return;
    }
    const hasSupport = balance.polygon.length >= 3;
    const facts: [string, string][] = [
      ["Mass", `${balance.mass.toFixed(2)} kg`],
      [
        "Margin",
        hasSupport ? `${millimetres(balance.margin)} mm` : "unknown: no limb reports contact",
      ],
      [
        "Centre of mass",
        `${[balance.com.x, balance.com.y, balance.com.z].map(millimetres).join(", ")} mm`,
      ],
    ];
    if (hasSupport) {
      facts.push(["Supported by", balance.contact.join(", ")]);
    }
    if (battery !== undefined && Number.isFinite(battery.voltage)) {
      facts.push(["Battery", `${battery.voltage.toFixed(1)} V`]);
    }
    this.balanceCard.classList.toggle("bad", hasSupport && balance.margin < 0);
    this.balance.replaceChildren(
      ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    );
  }
}
