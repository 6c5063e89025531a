// A question before something that cannot be undone. It is not modal: the stop and all else stay
// within reach, and the space bar stops as always.
import { h } from "./dom";

let close: (() => void) | undefined;

export interface Question {
  title: string;
  text: string;
  /** On the button that does it. */
  yes: string;
}

/** @return whether the user wants it; false if another question came first */
export function ask({ title, text, yes }: Question): Promise<boolean> {
  close?.();
  return new Promise((resolve) => {
    const before = document.activeElement as HTMLElement | null;
    const confirm = h("button", { type: "button", class: "danger" }, yes);
    const cancel = h("button", { type: "button" }, "Cancel");
    const box = h(
      "div",
      {
        class: "ask",
        role: "alertdialog",
        "aria-labelledby": "ask-title",
        "aria-describedby": "ask-text",
      },
      h("h3", { id: "ask-title" }, title),
      h("p", { id: "ask-text" }, text),
      h("div", { class: "row" }, cancel, confirm),
    );
    const end = (isWanted: boolean) => {
      close = undefined;
      box.remove();
      before?.focus();
      resolve(isWanted);
    };
    close = () => end(false);
    confirm.addEventListener("click", () => end(true));
    cancel.addEventListener("click", () => end(false));
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        end(false);
      }
    });
    document.body.append(box);
    cancel.focus(); // a second press of Enter does no harm
  });
}

/** The question makes no sense any more. */
export function withdraw(): void {
  close?.();
}
