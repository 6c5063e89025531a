// The property file: which one is written, what changes in it, the reason of a refusal, what has to happen then.
import { h, setText, toggle } from "../ui/dom";
import { type Change, changes } from "./diff";
import type { Setup } from "./setup";

const MARKS = { same: " ", added: "+", removed: "−" };
/** Unchanged lines that are shown around a change. */
const AROUND = 2;

/** The changes with a few lines around them; undefined represents lines that are left out. */
export function excerpt(list: Change[]): (Change | undefined)[] {
  const isNear = (at: number) =>
    list.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same");
  const shown: (Change | undefined)[] = [];
  list.forEach((change, at) => {
    if (isNear(at)) {
      shown.push(change);
    } else if (shown.length > 0 && shown.at(-1) !== undefined) {
      shown.push(undefined);
    }
  });
  return shown;
}

export class FileCard {
  readonly element: HTMLElement;
  /** Visible wherever the page is scrolled to. */
  readonly bar: HTMLElement;
  private readonly file = h("p", { id: "setup-file" });
  private readonly state = h("p", { role: "status", id: "setup-state" });
  private readonly refusal = h("p", {
    role: "alert",
    class: "setup-note bad",
    id: "setup-refusal",
  });
  private readonly changes = h("pre", {
    class: "setup-changes",
    id: "setup-changes",
    "aria-label": "What changes in the file",
    tabindex: 0,
  });
  private readonly text = h("textarea", {
    id: "setup-text",
    "aria-label": "Text of the property file",
    spellcheck: "false",
    rows: 14,
  });
  private readonly save = h(
    "button",
    { type: "button", class: "primary", id: "setup-save" },
    "Save",
  );
  private readonly undo = h("button", { type: "button", id: "setup-undo" }, "Undo changes");

  constructor(private readonly setup: Setup) {
    this.save.addEventListener("click", () => void this.saveNow());
    this.undo.addEventListener("click", () => {
      setup.revert();
      void setup.load(); // somebody else may have saved another one
    });
    this.text.addEventListener("input", () => setup.setText(this.text.value));
    this.element = h(
      "section",
      { class: "card", id: "setup-save-card" },
      h("h3", {}, "Property file"),
      this.file,
      this.changes,
      h("details", {}, h("summary", {}, "Whole text"), this.text),
    );
    this.bar = h(
      "div",
      { class: "setup-bar" },
      this.refusal,
      this.state,
      h("div", { class: "row" }, this.undo, this.save),
    );
  }

  private async saveNow(): Promise<void> {
    this.save.disabled = true;
    await this.setup.save();
  }

  update(canEdit: boolean): void {
    const { setup } = this;
    setText(this.file, setup.file === "" ? "" : `Written to ${setup.file}`);
    setText(this.refusal, setup.refusal || setup.missing || unreadableText(setup.unreadable));
    toggle(this.refusal, this.refusal.textContent !== "");
    setText(this.state, this.stateText());
    this.changes.replaceChildren(...excerpt(changes(setup.saved, setup.text)).map(changeLine));
    toggle(this.changes, setup.isChanged);
    if (this.text.value !== setup.text) {
      this.text.value = setup.text;
    }
    this.text.readOnly = !canEdit;
    this.save.disabled = !canEdit || !setup.isChanged;
    this.undo.disabled = !setup.isChanged;
  }

  private stateText(): string {
    if (!this.setup.cockpit.mayChange) {
      return "This page may not change anything: enter the token first.";
    }
    if (this.setup.isChanged) {
      return "Not saved yet.";
    }
    return this.setup.waitsForRestart
      ? "Saved. The robot goes on as before: the file takes effect when the program is started again."
      : "No changes.";
  }
}

const unreadableText = (reason: string): string =>
  reason === "" ? "" : `${reason}. The forms show what the text said before; change it as text.`;

function changeLine(change: Change | undefined): HTMLElement {
  return change === undefined
    ? h("span", { class: "same" }, "⋮\n")
    : h("span", { class: change.kind }, `${MARKS[change.kind]} ${change.text}\n`);
}
