// The controls of a recording that is played: which one it is, time slider, pause, speed. They appear only if the
// server plays a recording; a running robot has none.
import type { PlaybackState } from "../foxglove/wire";
import type { Cockpit } from "../system/cockpit";
import { h, ICONS, icon, setText, toggle } from "../ui/dom";
import { isTyping } from "../ui/typing";
import { clock, seconds, STEPS, timeOfStep } from "./times";

const UPDATE_MS = 100;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];

export class PlaybackBar {
  private readonly name = h("strong", {});
  private readonly button = h("button", {
    type: "button",
    id: "playback-play",
    "aria-label": "Play or pause",
  });
  private readonly slider = h("input", {
    type: "range",
    id: "playback-time",
    min: "0",
    max: String(STEPS),
    step: "1",
    "aria-label": "Time of the recording",
  });
  private readonly time = h("output", { for: "playback-time" });
  private readonly speed = h("select", { id: "playback-speed", "aria-label": "Speed" });
  private readonly box = h(
    "section",
    { id: "playback", "aria-label": "Recording", hidden: true },
    h("span", { class: "what" }, "Recording ", this.name, " – not a running robot"),
    this.button,
    this.slider,
    this.time,
    this.speed,
  );
  private status: PlaybackState["status"] = "playing";
  private isDragged = false;
  /** The recording of this page. */
  private shown = "";

  constructor(private readonly cockpit: Cockpit) {
    document.querySelector("main")!.before(this.box);
    this.speed.append(
      ...SPEEDS.map((value) => h("option", { value: String(value) }, `${value}\u00d7`)),
    );
    this.speed.value = "1";
    this.button.addEventListener("click", () => this.send(this.status !== "playing"));
    this.speed.addEventListener("change", () => this.send(this.status === "playing"));
    this.slider.addEventListener("input", () => this.seek());
    this.slider.addEventListener("pointerdown", () => (this.isDragged = true));
    addEventListener("pointerup", () => (this.isDragged = false));
    addEventListener("keydown", (event) => this.key(event), { capture: true });
    cockpit.onConnection.on(() => this.update());
    cockpit.onPlayback.on((state) => this.take(state));
    setInterval(() => this.updateTime(), UPDATE_MS);
    this.update();
  }

  /** The space bar stops a robot; a recording it pauses. */
  private key(event: KeyboardEvent): void {
    if (event.code !== "Space" || this.box.hidden || isTyping(event.target)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) {
      this.send(this.status !== "playing");
    }
  }

  private send(plays: boolean, seekNs?: bigint): void {
    this.cockpit.client.control({
      plays,
      speed: Number(this.speed.value),
      ...(seekNs === undefined ? {} : { seekNs }),
    });
  }

  private seek(): void {
    const { recording } = this.cockpit.client;
    if (recording !== undefined) {
      this.send(this.status === "playing", timeOfStep(recording, Number(this.slider.value)));
    }
  }

  private take(state: PlaybackState): void {
    this.status = state.status;
    const speed = SPEEDS.find((value) => Math.abs(value - state.speed) < 1e-6 * value);
    if (speed !== undefined) {
      this.speed.value = String(speed);
    }
    this.update();
  }

  /** Another recording may have another robot, so the page begins anew. */
  private follow(name: string): void {
    if (this.shown !== "" && this.shown !== name) {
      location.reload();
    }
    this.shown = name;
  }

  private update(): void {
    const { recording } = this.cockpit.client;
    toggle(this.box, recording !== undefined);
    document.body.classList.toggle("is-played", recording !== undefined);
    if (recording === undefined) {
      return;
    }
    this.follow(recording.name);
    const isPlaying = this.status === "playing";
    const label = isPlaying ? "Pause" : "Play";
    setText(this.name, recording.name);
    this.button.replaceChildren(icon(isPlaying ? ICONS.pause : ICONS.play));
    this.button.setAttribute("aria-label", label);
    this.button.title = `${label} (space bar)`;
    for (const control of [this.button, this.slider, this.speed]) {
      control.disabled = !this.cockpit.mayChange || this.cockpit.client.state !== "open";
    }
    this.updateTime();
  }

  private updateTime(): void {
    const { recording, timeNs } = this.cockpit.client;
    if (recording === undefined || this.isDragged) {
      return;
    }
    const length = seconds(recording.endNs - recording.startNs);
    const now = Math.min(Math.max(seconds(timeNs - recording.startNs), 0), length);
    this.slider.value = String(length > 0 ? Math.round((STEPS * now) / length) : 0);
    this.slider.setAttribute("aria-valuetext", `${now.toFixed(1)} of ${length.toFixed(1)} s`);
    setText(this.time, `${clock(now)} / ${clock(length)}`);
  }
}
