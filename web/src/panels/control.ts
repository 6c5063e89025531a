// Who moves what, as a table: limbs down, controllers across. A press gives a limb to a controller,
// or takes it away again.
import type { Cockpit } from "../system/cockpit";
import type { ComponentInfo } from "../system/components";
import { h, setText, toggle } from "../ui/dom";
import { atMost, soon } from "../ui/frame";

/** Whole millimetres, and no minus before a nought. */
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
    cockpit.onOwners.on(() => soon(owners));
    cockpit.onRoles.on(() => soon(owners));
    cockpit.onConnection.on(() => soon(owners));
    cockpit.onBalance.on(atMost(5, () => this.updateBalance()));
    this.updateBalance();
  }

  get isUseful(): boolean {
    return this.cockpit.roles.arbiter !== undefined;
  }

  private head(controllers: ComponentInfo[]): HTMLElement {
    const { cockpit } = this;
    const cell = (controller: ComponentInfo) => {
      const owned = cockpit.ownedBy(controller.name);
      const isOn = owned.length > 0;
      const button = h(
        "button",
        {
          type: "button",
          role: "switch",
          class: "switch",
          "aria-checked": String(isOn),
          "aria-label": `${controller.name} moves limbs`,
          disabled: !cockpit.mayChange || controller.state !== "running",
          title: isOn ? "Let all limbs go" : "Take all its limbs",
          "data-controller": controller.name,
        },
        h("span", {}),
      );
      button.addEventListener("click", () => {
        const request = { operational: !isOn, resources: [] };
        void cockpit.do(controller, "setOperational", request);
      });
      return h(
        "th",
        { scope: "col", title: controller.doc },
        h("div", {}, controller.name),
        button,
      );
    };
    return h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Limb"), ...controllers.map(cell)));
  }

  private row(limb: string, controllers: ComponentInfo[]): HTMLElement {
    const { cockpit } = this;
    const owner = cockpit.ownerOf(limb);
    const cell = (controller: ComponentInfo) => {
      const isOwner = owner === controller.name;
      const button = h(
        "button",
        {
          type: "button",
          class: "cell",
          "aria-pressed": String(isOwner),
          "aria-label": isOwner
            ? `${controller.name} has ${limb}: release it`
            : `Give ${limb} to ${controller.name}`,
          "data-limb": limb,
          "data-controller": controller.name,
          disabled: !cockpit.mayChange || controller.state !== "running",
        },
        h("span", {}),
      );
      button.addEventListener("click", () => {
        void (isOwner ? cockpit.release(controller, [limb]) : cockpit.take(controller, [limb]));
      });
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
    // The button that was pressed has been made anew; the keyboard stays where it was.
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
      free.length === 0 ? "" : `Nobody moves ${free.join(", ")}: held in place.`,
    );
  }

  private updateBalance(): void {
    const { balance, battery } = this.cockpit;
    toggle(this.balanceCard, balance !== undefined);
    if (balance === undefined) {
      return;
    }
    const stands = balance.polygon.length >= 3;
    const facts: [string, string][] = [
      ["Mass", `${balance.mass.toFixed(2)} kg`],
      ["Margin", stands ? `${millimetres(balance.margin)} mm` : "no limb is said to carry weight"],
      [
        "Centre of mass",
        `${[balance.com.x, balance.com.y, balance.com.z].map(millimetres).join(", ")} mm`,
      ],
    ];
    if (stands) {
      facts.push(["Carried by", balance.contact.join(", ")]);
    }
    if (battery !== undefined && Number.isFinite(battery.voltage)) {
      facts.push(["Battery", `${battery.voltage.toFixed(1)} V`]);
    }
    this.balanceCard.classList.toggle("bad", stands && balance.margin < 0);
    this.balance.replaceChildren(
      ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    );
  }
}
