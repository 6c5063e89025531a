// The plots: those of one joint, or curves of any topics. The choice is remembered.
import { h, toggle } from "../ui/dom";

const KEY = "sinew.plots";

export class PlotsArea {
  private readonly buttons: HTMLButtonElement[];
  private readonly kinds: HTMLElement;
  readonly element: HTMLElement;

  constructor(
    private readonly panels: { name: string; element: HTMLElement }[],
    private readonly storage: Pick<Storage, "getItem" | "setItem"> = localStorage,
  ) {
    this.buttons = panels.map(({ name }) =>
      h("button", { type: "button", class: "small", onclick: () => this.show(name) }, name),
    );
    this.kinds = h(
      "div",
      { class: "kinds", role: "group", "aria-label": "What is plotted" },
      ...this.buttons,
    );
    this.element = h("div", { class: "plots-area" }, ...panels.map(({ element }) => element));
    const last = storage.getItem(KEY);
    this.show(panels.find(({ name }) => name === last)?.name ?? panels[0]!.name);
  }

  /** The choice itself is in the row of buttons of what is shown: it takes no room of its own. */
  show(name: string): void {
    this.storage.setItem(KEY, name);
    this.panels.forEach((panel, i) => {
      toggle(panel.element, panel.name === name);
      if (panel.name === name) {
        panel.element.querySelector(".row")!.prepend(this.kinds);
      }
      this.buttons[i]!.setAttribute("aria-pressed", String(panel.name === name));
    });
  }
}
