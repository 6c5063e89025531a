// The recordings in the folder of the server, the newest first. The program that plays one plays any other of them.
import type { Cockpit } from "../system/cockpit";
import { h, ICONS, icon, setText, toggle } from "../ui/dom";
import { clock, fileSize } from "./times";

export interface RecordingFile {
  name: string;
  size: number;
  /** Seconds since 1970. */
  modified: number;
}

/** What a file says about itself; the server reads its beginning and its end. */
export interface RecordingFacts {
  /** Seconds; missing: unknown. */
  length?: number;
  robot?: string;
  /** Why it cannot be trusted: damaged, or without its end. */
  problem?: string;
}

/** The line below the name of a file. @param facts  undefined: not known yet */
export function factsOf(file: RecordingFile, facts: RecordingFacts | undefined): string {
  const length =
    facts === undefined
      ? "…"
      : facts.length === undefined
        ? "length unknown"
        : `${clock(facts.length)} min`;
  const date = new Date(file.modified * 1000).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return [facts?.robot ?? "", length, fileSize(file.size), date]
    .filter((text) => text !== "")
    .join(" · ");
}

/** Of the program that plays a recording; a running robot has none. */
const PLAY = "/recordings/play";

class Row {
  private readonly facts = h("div", { class: "facts" });
  private readonly problem = h("div", { class: "problem", role: "note", hidden: true });
  readonly element: HTMLElement;

  constructor(
    readonly file: RecordingFile,
    cockpit: Cockpit,
  ) {
    const download = h(
      "a",
      {
        class: "button small",
        href: `/recordings/${encodeURIComponent(file.name)}`,
        download: file.name,
        "aria-label": `Download ${file.name}`,
      },
      icon(ICONS.download),
    );
    const text = h("div", {}, h("strong", {}, file.name), this.facts, this.problem);
    this.element = h("li", {}, text, download);
    setText(this.facts, factsOf(file, undefined));
    if (!cockpit.client.hasService(PLAY)) {
      text.append(h("code", {}, `sinew view recordings/${file.name}`));
      return;
    }
    const isPlayed = cockpit.client.recording?.name === file.name;
    download.before(isPlayed ? h("span", { class: "quiet" }, "shown") : this.playButton(cockpit));
  }

  private playButton(cockpit: Cockpit): HTMLElement {
    const { name } = this.file;
    const button = h(
      "button",
      { type: "button", class: "small", "aria-label": `Play ${name}`, title: `Play ${name}` },
      icon(ICONS.play),
    );
    button.disabled = !cockpit.mayChange;
    button.addEventListener("click", () => {
      cockpit.client.call(PLAY, { name }).catch((error: unknown) => {
        cockpit.onNotice.emit(error instanceof Error ? error.message : String(error));
      });
    });
    return button;
  }

  async describe(): Promise<void> {
    const answer = await fetch(`/recordings/facts/${encodeURIComponent(this.file.name)}`);
    const facts = answer.ok ? ((await answer.json()) as RecordingFacts) : {};
    setText(this.facts, factsOf(this.file, facts));
    setText(this.problem, `Damaged: ${facts.problem ?? ""}`);
    toggle(this.problem, facts.problem !== undefined);
  }
}

export class RecordingsPanel {
  private readonly list = h("ul", { class: "recordings" });
  private readonly note = h("p", { class: "quiet" });
  private readonly how = h(
    "p",
    { class: "quiet" },
    "A recording is played by a program of its own, so that this robot is never mistaken for it.",
  );
  readonly element = h("div", { class: "panel" }, this.how, this.list, this.note);

  constructor(private readonly cockpit: Cockpit) {}

  async shown(): Promise<void> {
    try {
      const answer = await fetch("/recordings/");
      const files = answer.ok ? ((await answer.json()) as RecordingFile[]) : [];
      toggle(this.how, this.cockpit.client.recording === undefined);
      const rows = files.map((file) => new Row(file, this.cockpit));
      this.list.replaceChildren(...rows.map(({ element }) => element));
      this.note.textContent = files.length === 0 ? "There are none yet: press Record." : "";
      for (const row of rows) {
        if (!row.element.isConnected) {
          return; // the list has been read again
        }
        await row.describe(); // one after the other: the server reads a file for each
      }
    } catch {
      this.note.textContent = "The list cannot be read: no connection.";
    }
  }
}
