// Movements of the library: play one, stop it, record a new one by hand.
import type { Cockpit } from "../system/cockpit";
import { isPose, type Movement, Movements } from "../system/movements";
import { h, ICONS, icon, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";
import { RecordCard } from "./movement_record";

const seconds = (value: number): string => `${value.toFixed(1)} s`;

export class MovementsPanel {
  readonly element: HTMLElement;
  readonly movements: Movements;
  private readonly poses = h("div", { class: "poses", role: "group", "aria-label": "Poses" });
  private readonly list = h("ul", { class: "movements" });
  private readonly empty = h("p", { class: "quiet" }, "The library has no movements yet.");
  private readonly now = h("span", { class: "name" });
  private readonly bar = h("progress", { max: 1 });
  private readonly time = h("span", { class: "quiet" });
  private readonly stop = h("button", { type: "button", id: "movement-stop" }, "Stop");
  private readonly verdict = h("p", { role: "status", class: "verdict" });
  private readonly playing: HTMLElement;
  private signature = "";

  constructor(private readonly cockpit: Cockpit) {
    this.movements = new Movements(cockpit, () => this.element.offsetParent !== null);
    this.stop.addEventListener("click", () => void this.movements.stop());
    this.playing = h("div", { class: "playing" }, this.now, this.bar, this.time, this.stop);
    const record = new RecordCard(cockpit, this.movements);
    this.element = h(
      "div",
      { class: "panel" },
      h(
        "section",
        { class: "card", id: "movements" },
        h("h3", {}, "Movements"),
        this.verdict,
        this.playing,
        this.poses,
        this.list,
        this.empty,
      ),
      record.element,
    );
    const update = () => this.update();
    this.movements.onChange.on(() => nextFrame(update));
    cockpit.onConnection.on(() => nextFrame(update));
    this.update();
  }

  shown(): void {
    void this.movements.refresh();
  }

  private get mayPlay(): boolean {
    return this.cockpit.mayChange && this.movements.state?.state !== "recording";
  }

  /** A pose is a button: the robot goes there. */
  private pose({ name }: Movement): HTMLElement {
    return h(
      "button",
      {
        type: "button",
        class: "chip",
        title: `Go to the pose ${name}`,
        "data-movement": name,
        disabled: !this.mayPlay,
        onclick: () => void this.movements.play(name),
      },
      name,
    );
  }

  private row({ name, kind, duration }: Movement): HTMLElement {
    const isCurrent = this.movements.isBusy && this.movements.state?.name === name;
    const play = h(
      "button",
      {
        type: "button",
        class: "small",
        "aria-label": `Play ${name}`,
        "data-movement": name,
        disabled: !this.mayPlay,
      },
      icon(ICONS.play),
      "Play",
    );
    play.addEventListener("click", () => void this.movements.play(name));
    return h(
      "li",
      { class: isCurrent ? "current" : "" },
      h("span", { class: "name" }, name),
      h("span", { class: kind === "invalid" ? "badge bad" : "badge" }, kind.replaceAll("_", " ")),
      h("span", { class: "quiet number" }, duration > 0 ? seconds(duration) : ""),
      play,
    );
  }

  private update(): void {
    const { list, state } = this.movements;
    const signature = JSON.stringify([list, state?.state, state?.name, this.cockpit.mayChange]);
    if (signature !== this.signature) {
      this.signature = signature;
      const focused = (document.activeElement as HTMLElement | null)?.dataset["movement"];
      this.poses.replaceChildren(...list.filter(isPose).map((pose) => this.pose(pose)));
      const others = list.filter((movement) => !isPose(movement));
      this.list.replaceChildren(...others.map((movement) => this.row(movement)));
      if (focused !== undefined) {
        const selector = `[data-movement="${CSS.escape(focused)}"]`;
        this.element.querySelector<HTMLElement>(selector)?.focus(); // the list was rebuilt
      }
    }
    toggle(this.empty, list.length === 0);
    this.updatePlaying();
    this.updateVerdict();
  }

  private updatePlaying(): void {
    const { state } = this.movements;
    toggle(this.playing, state?.state === "playing");
    if (state?.state !== "playing") {
      return;
    }
    const { name, elapsed, duration } = state;
    setText(this.now, name);
    const isKnown = duration > 0;
    setText(this.time, isKnown ? `${seconds(elapsed)} of ${seconds(duration)}` : seconds(elapsed));
    if (isKnown) {
      this.bar.value = Math.min(1, elapsed / duration);
    } else {
      this.bar.removeAttribute("value"); // the bar shows that the end is not known
    }
    this.stop.disabled = !this.cockpit.mayChange;
  }

  private updateVerdict(): void {
    const { state, failure } = this.movements;
    const hasEnded = state?.state === "idle" && state.name !== "";
    const reason = hasEnded ? (state.success ? "done" : state.message) : "";
    const isGood = failure === "" && (reason === "done" || reason === "stopped");
    const text = failure || (reason && `${state!.name}: ${reason}`);
    this.verdict.classList.toggle("bad", text !== "" && !isGood);
    setText(this.verdict, text);
  }
}
