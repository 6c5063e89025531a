// The recording button: start, show progress, stop, download.
import type { Cockpit } from "../system/cockpit";
import { path } from "../system/components";
import { byId, h, ICONS, icon, setText, toggle } from "../ui/dom";

const POLL_MS = 1000;

interface State {
  recording: boolean;
  /** File name without folder and extension. */
  name: string;
  bytes: number;
  lost: number;
  /** Why the recording is incomplete; empty if it is complete. */
  problem: string;
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export class RecorderButton {
  private readonly box = byId("recorder");
  private readonly button = h("button", { type: "button", class: "record", id: "record" });
  private readonly label = h("span", {});
  private readonly link = h(
    "a",
    { class: "button small", hidden: true, id: "download" },
    icon(ICONS.download),
  );
  private readonly linkText = h("span", {}, "Download");
  private isRecording = false;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly cockpit: Cockpit) {
    this.button.append(h("span", { class: "dot" }), this.label);
    this.link.append(this.linkText);
    this.button.addEventListener("click", () => void this.press());
    this.box.append(this.button, this.link);
    const update = () => this.update();
    cockpit.onRoles.on(() => {
      update();
      void this.poll();
    });
    cockpit.onConnection.on(update);
    update();
  }

  private update(): void {
    const { recorder } = this.cockpit.roles;
    toggle(this.box, recorder !== undefined);
    this.button.disabled = !this.cockpit.mayChange || this.cockpit.client.state !== "open";
    this.button.setAttribute("aria-pressed", String(this.isRecording));
    this.button.setAttribute("aria-label", this.isRecording ? "Stop recording" : "Record");
    this.button.title = this.isRecording
      ? "Recording all data streams. Click to stop."
      : "Record all data streams to an MCAP file";
    if (!this.isRecording) {
      setText(this.label, "Record");
    }
  }

  private async call<T>(operation: string, request: object = {}): Promise<T | undefined> {
    const { recorder } = this.cockpit.roles;
    if (recorder === undefined || !this.cockpit.client.hasService(path(recorder, operation))) {
      return undefined;
    }
    try {
      return await this.cockpit.client.call<T>(path(recorder, operation), request);
    } catch (error) {
      this.cockpit.onNotice.emit(`Recording: ${(error as Error).message}`);
      return undefined;
    }
  }

  private async press(): Promise<void> {
    const answer = this.isRecording
      ? await this.call<State>("stopRecording")
      : await this.call<State>("startRecording");
    if (answer !== undefined) {
      this.take(answer);
      if (!answer.recording && answer.problem !== "") {
        this.cockpit.onNotice.emit(`${answer.name}: ${answer.problem}`);
      }
    }
  }

  private async poll(): Promise<void> {
    const state = await this.call<State>("getRecording");
    if (state !== undefined) {
      this.take(state);
    }
  }

  private take(state: State): void {
    this.isRecording = state.recording;
    if (state.recording) {
      setText(this.label, size(state.bytes));
      this.timer ??= setInterval(() => void this.poll(), POLL_MS);
    } else {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    const name = `${state.name}.mcap`;
    toggle(this.link, !state.recording && state.name !== "");
    if (state.name !== "") {
      this.link.href = `/recordings/${encodeURIComponent(name)}`;
      this.link.download = name;
      this.link.title = `Download ${name}`;
      this.link.setAttribute("aria-label", `Download ${name}`);
    }
    this.update();
  }
}
