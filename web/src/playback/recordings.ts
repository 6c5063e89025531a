// The recordings in the folder of the server, the newest first.
import { h, ICONS, icon } from "../ui/dom";
import { clock, fileSize } from "./times";

export interface RecordingFile {
  name: string;
  size: number;
  /** Seconds since 1970. */
  modified: number;
  /** Seconds; missing: unknown, since the file is being written or was not closed. */
  length?: number;
  robot?: string;
}

function row(file: RecordingFile): HTMLElement {
  const url = `/recordings/${encodeURIComponent(file.name)}`;
  const download = h(
    "a",
    {
      class: "button small",
      href: url,
      download: file.name,
      "aria-label": `Download ${file.name}`,
    },
    icon(ICONS.download),
  );
  const facts = [
    file.robot ?? "",
    file.length === undefined ? "not closed" : clock(file.length),
    fileSize(file.size),
    new Date(file.modified * 1000).toLocaleString(),
  ].filter((text) => text !== "");
  return h(
    "li",
    {},
    h(
      "div",
      {},
      h("strong", {}, file.name),
      h("div", { class: "facts" }, facts.join(" · ")),
      h("code", {}, `sinew view recordings/${file.name}`),
    ),
    download,
  );
}

export class RecordingsPanel {
  private readonly list = h("ul", { class: "recordings" });
  private readonly note = h("p", { class: "quiet" });
  readonly element = h(
    "div",
    { class: "panel" },
    h(
      "p",
      { class: "quiet" },
      "A recording is played by a program of its own, so that this robot is never mistaken for it.",
    ),
    this.list,
    this.note,
  );

  async shown(): Promise<void> {
    try {
      const answer = await fetch("/recordings/");
      const files = answer.ok ? ((await answer.json()) as RecordingFile[]) : [];
      this.list.replaceChildren(...files.map(row));
      this.note.textContent = files.length === 0 ? "There are none yet: press Record." : "";
    } catch {
      this.note.textContent = "The list cannot be read: no connection.";
    }
  }
}
