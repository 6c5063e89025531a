// A confirmation dialog. It is not modal: the stop button stays accessible, and the space bar still stops
// the robot.
import { h } from "./dom";

let close: (() => void) | undefined;

export interface Question {
  title: string;
  text: string;
  /** Label of the button that confirms. */
  yes: string;
}

/** @return whether the user confirmed; false if another dialog replaced it */
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
    cancel.focus(); // so that a second press of Enter does no harm
  });
}

/** Close the dialog, because it no longer applies. */
export function dismiss(): void {
  close?.();
}
