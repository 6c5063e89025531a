// Properties of a component, edited in place: what each is for, its unit and range, and why a value is refused.
import type { Cockpit } from "../system/cockpit";
import type { ComponentInfo, PropertyInfo } from "../system/components";
import {
  apply,
  applyByRestart,
  editorOf,
  fixedText,
  needsRestart,
  rangeOf,
  textOf,
  valueOf,
} from "../system/settings";
import { ask } from "../ui/ask";
import { h, setText, toggle, wordBreaks } from "../ui/dom";
import { nextFrame } from "../ui/frame";

type Field = HTMLInputElement | HTMLSelectElement;

export class SettingsCard {
  readonly element: HTMLElement;
  private readonly choice = h("select", { "aria-label": "Component", id: "settings-component" });
  private readonly about = h("p", { class: "quiet" });
  private readonly list = h("dl", { class: "settings" });
  private names = "";
  private signature = "";

  constructor(private readonly cockpit: Cockpit) {
    this.element = h(
      "section",
      { class: "card", id: "settings" },
      h("h3", {}, "Settings"),
      this.choice,
      this.about,
      this.list,
    );
    const update = () => this.update();
    this.choice.addEventListener("change", update);
    cockpit.onRoles.on(() => nextFrame(update));
    cockpit.onConnection.on(() => nextFrame(update));
    this.update();
  }

  private get component(): ComponentInfo | undefined {
    return this.cockpit.components.find(({ name }) => name === this.choice.value);
  }

  private update(): void {
    const known = this.cockpit.components.filter(({ properties }) => properties.length > 0);
    const names = known.map(({ name }) => name).sort();
    toggle(this.element, names.length > 0);
    if (names.join() !== this.names) {
      this.names = names.join();
      const chosen = this.choice.value;
      this.choice.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
      this.choice.value = names.includes(chosen) ? chosen : (names[0] ?? "");
    }
    const { component } = this;
    const { mayChange } = this.cockpit;
    const signature = JSON.stringify([component?.name, component?.state, component?.properties]);
    // A field that is being edited is not replaced.
    if (
      `${signature}${mayChange}` !== this.signature &&
      !this.list.contains(document.activeElement)
    ) {
      this.signature = `${signature}${mayChange}`;
      setText(this.about, component?.doc ?? "");
      this.list.replaceChildren(
        ...(component?.properties ?? []).flatMap((property) => this.row(component!, property)),
      );
    }
  }

  private row(component: ComponentInfo, property: PropertyInfo): HTMLElement[] {
    const error = h("p", { class: "bad", role: "alert", hidden: true });
    const editor = this.editor(component, property, error);
    const range = rangeOf(property);
    const hint = needsRestart(component, property) && editorOf(property) !== "fixed";
    return [
      h("dt", { title: property.doc ?? "" }, ...wordBreaks(property.name)),
      h(
        "dd",
        {},
        editor,
        range !== "" && h("span", { class: "quiet" }, range),
        hint &&
          h("span", { class: "badge", title: "Setting it restarts the component" }, "restart"),
        error,
      ),
    ];
  }

  private editor(
    component: ComponentInfo,
    property: PropertyInfo,
    error: HTMLElement,
  ): HTMLElement {
    const { value, choices = "" } = property;
    const label = {
      "aria-label": `${component.name}.${property.name}`,
      "data-setting": property.name,
      title: property.doc ?? "",
      disabled: !this.cockpit.mayChange,
    };
    const commit = (field: Field, wanted: { value: unknown } | string) =>
      void this.commit(component, property, field, error, wanted);
    switch (editorOf(property)) {
      case "switch": {
        const field = h("input", { type: "checkbox", checked: value === true, ...label });
        field.addEventListener("change", () => commit(field, { value: field.checked }));
        return field;
      }
      case "choice": {
        const option = (name: string) => h("option", { value: name }, name);
        const field = h("select", label, ...choices.split("|").map(option));
        field.value = String(value);
        field.addEventListener("change", () => commit(field, { value: field.value }));
        return field;
      }
      case "fixed":
        return h("code", { title: "It is set in the deployment" }, fixedText(value));
      default: {
        const field = h("input", { type: "text", value: textOf(value), ...label });
        field.addEventListener("change", () => commit(field, valueOf(property, field.value)));
        return field;
      }
    }
  }

  private async commit(
    component: ComponentInfo,
    property: PropertyInfo,
    field: Field,
    error: HTMLElement,
    wanted: { value: unknown } | string,
  ): Promise<void> {
    field.disabled = true;
    const failure =
      typeof wanted === "string" ? wanted : await this.send(component, property, wanted.value);
    field.disabled = !this.cockpit.mayChange;
    setText(error, failure);
    toggle(error, failure !== "");
    field.setAttribute("aria-invalid", String(failure !== ""));
  }

  private async send(
    component: ComponentInfo,
    property: PropertyInfo,
    value: unknown,
  ): Promise<string> {
    if (!needsRestart(component, property)) {
      return apply(this.cockpit, component, property.name, value);
    }
    const isSure = await ask({
      title: `Restart ${component.name}?`,
      text: "It can only be set while the component is stopped. Limbs that it moves are held meanwhile.",
      yes: "Restart",
    });
    return isSure
      ? applyByRestart(this.cockpit, component, property.name, value)
      : "not set: the component was not restarted";
  }
}
