// Small helpers for the DOM.

type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

/** Create an element. Function attributes are listeners (`onclick`); true sets an attribute, false omits it. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child): child is Node | string => !!child));
  return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`the page has no #${id}`);
  }
  return element as T;
}

/** Set the text only if it differs, to avoid layout work. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

export function toggle(element: HTMLElement, isShown: boolean): void {
  element.hidden = !isShown;
}

/** Replace the rows of a list; the element with the focus keeps it, and what is selected in it, found again by a
 *  data attribute.
 *  @param key  of that attribute: `point` for `data-point` */
export function replaceRows(list: HTMLElement, key: string, rows: HTMLElement[]): void {
  const active = document.activeElement as HTMLElement | null;
  const focused = list.contains(active) ? active?.dataset[key] : undefined;
  list.replaceChildren(...rows);
  if (focused !== undefined) {
    const next = list.querySelector<HTMLElement>(`[data-${key}="${CSS.escape(focused)}"]`);
    next?.focus();
    if (active instanceof HTMLInputElement && next instanceof HTMLInputElement) {
      next.setSelectionRange(active.selectionStart, active.selectionEnd);
    }
  }
}

/** A name that can wrap after `_`, `-` or `/`. */
export function wordBreaks(name: string): (Node | string)[] {
  return name.split(/(?<=[_\-/])/).flatMap((word, i) => (i === 0 ? [word] : [h("wbr"), word]));
}

/** A line drawing, 16 by 16. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  pause: "M5.5 3v10M10.5 3v10",
  play: "M4.5 3l8 5-8 5z",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10",
  sun: "M8 5a3 3 0 100 6 3 3 0 000-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  moon: "M13 9.5A5.5 5.5 0 016.5 3 5.5 5.5 0 1013 9.5z",
  home: "M2.5 8L8 3l5.5 5M4.5 7v6h7V7",
  fit: "M2.5 6v-3.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
};

/** Download a text as a file. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
