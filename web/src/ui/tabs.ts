// Tabs after the WAI-ARIA pattern: the selected one is in the tab order, arrow keys select.
import { h, toggle } from "./dom";

export interface Tab {
  name: string;
  panel: HTMLElement;
  /** Called when the tab is selected. */
  shown?: () => void;
  /** Called when another tab is selected. */
  hidden?: () => void;
}

export class Tabs {
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private current = "";

  constructor(
    list: HTMLElement,
    private readonly body: HTMLElement,
    private readonly tabs: Tab[],
  ) {
    list.setAttribute("role", "tablist");
    for (const tab of tabs) {
      const id = `tab-${tab.name.toLowerCase()}`;
      const button = h("button", { type: "button", role: "tab", id }, tab.name);
      button.addEventListener("click", () => this.select(tab.name));
      button.addEventListener("keydown", (event) => this.key(event));
      this.buttons.set(tab.name, button);
      list.append(button);
      const panel = h(
        "div",
        { role: "tabpanel", "aria-labelledby": id, class: "tabpanel" },
        tab.panel,
      );
      body.append(panel);
    }
    this.select(tabs[0]!.name);
  }

  private visible(): Tab[] {
    return this.tabs.filter((tab) => !this.buttons.get(tab.name)!.hidden);
  }

  /** Show or hide a tab. */
  setVisible(name: string, isVisible: boolean): void {
    toggle(this.buttons.get(name)!, isVisible);
    if (!isVisible && this.current === name) {
      this.select(this.visible()[0]?.name ?? name);
    }
  }

  setCount(name: string, count: number): void {
    const button = this.buttons.get(name)!;
    if (count > 0) {
      button.dataset["count"] = count > 99 ? "99+" : String(count);
    } else {
      delete button.dataset["count"];
    }
  }

  select(name: string): void {
    if (name !== this.current) {
      this.tabs.find((tab) => tab.name === this.current)?.hidden?.();
    }
    this.current = name;
    [...this.body.children].forEach((panel, i) => {
      const tab = this.tabs[i]!;
      const isSelected = tab.name === name;
      const button = this.buttons.get(tab.name)!;
      toggle(panel as HTMLElement, isSelected);
      button.setAttribute("aria-selected", String(isSelected));
      button.tabIndex = isSelected ? 0 : -1;
      if (isSelected) {
        button.scrollIntoView({ block: "nearest", inline: "nearest" });
        tab.shown?.();
      }
    });
  }

  private key(event: KeyboardEvent): void {
    const tabs = this.visible();
    const at = tabs.findIndex((tab) => tab.name === this.current);
    const next = {
      ArrowRight: tabs[(at + 1) % tabs.length],
      ArrowLeft: tabs[(at + tabs.length - 1) % tabs.length],
      Home: tabs[0],
      End: tabs.at(-1),
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      this.select(next.name);
      this.buttons.get(next.name)!.focus();
    }
  }
}
