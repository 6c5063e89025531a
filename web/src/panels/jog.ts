// The jog pad: the tool moves along and about the axes of a frame while a button, a key or a stick is held.
import type { Cockpit } from "../system/cockpit";
import { isJogKey, jogOfGamepad, jogOfKeys, keyOf } from "../tool/jog_input";
import { explain, type JogAxis, type JogFrame, Jogging, STILL } from "../tool/jogging";
import type { Tools } from "../tool/tools";
import { h, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";
import { HeldInput } from "../ui/held_input";
import { HoldButton } from "../ui/hold_button";

const ROWS: JogAxis[][] = [
  ["x", "rx"],
  ["y", "ry"],
  ["z", "rz"],
];
const FRAMES: [JogFrame, string][] = [
  ["base", "Base"],
  ["tool", "Tool"],
];

/** Whether an axis is turned about. */
const turns = (axis: JogAxis): boolean => axis.length > 1;

export class JogCard {
  readonly element: HTMLElement;
  readonly jogging: Jogging;
  /** The frame was chosen. */
  onFrame: (frame: JogFrame) => void = () => undefined;
  private readonly buttons: HoldButton[] = [];
  private readonly frames = new Map<JogFrame, HTMLButtonElement>();
  private readonly speed = h("input", {
    type: "range",
    min: 0.05,
    max: 1,
    step: 0.05,
    "aria-label": "Speed of jogging",
  });
  private readonly limit = h("span", { class: "quiet number" });
  private readonly status = h("p", { role: "status", class: "verdict", id: "jog-status" });

  constructor(
    private readonly cockpit: Cockpit,
    private readonly tools: Tools,
  ) {
    this.jogging = new Jogging(cockpit, tools);
    this.speed.value = String(this.jogging.share);
    this.speed.addEventListener("input", () => {
      this.jogging.share = this.speed.valueAsNumber;
      this.update();
    });
    this.element = h(
      "section",
      { class: "card", id: "jog" },
      h("h3", {}, "Jog"),
      h("div", { class: "row" }, this.makeFrames(), h("label", {}, "Speed", this.speed)),
      this.limit,
      h("div", { class: "pad" }, ...ROWS.flat().map((axis) => this.makeAxis(axis))),
      this.status,
    );
    new HeldInput({
      isKey: isJogKey,
      isOn: () => this.isUsed,
      onKeys: (codes) => this.jogging.set("keys", jogOfKeys(codes)),
      onGamepad: (gamepad) =>
        this.jogging.set("gamepad", gamepad === undefined ? STILL : jogOfGamepad(gamepad)),
      onRelease: () => this.release(),
    });
    const update = () => this.update();
    for (const signal of [cockpit.onRoles, cockpit.onConnection, cockpit.onStop]) {
      signal.on(() => nextFrame(update));
    }
    tools.onChange.on(() => nextFrame(update));
    this.jogging.onChange.on(() => nextFrame(update));
    this.update();
  }

  /** The pad is seen and can move the tool: keys and gamepad belong to it. */
  get isUsed(): boolean {
    return this.element.offsetParent !== null && this.jogging.isPossible;
  }

  /** The user looks at something else, or the window is not in front. */
  release(): void {
    this.buttons.forEach((button) => button.rest());
    this.jogging.release();
  }

  private makeFrames(): HTMLElement {
    const box = h("div", { class: "choice", role: "group", "aria-label": "Axes" });
    for (const [frame, text] of FRAMES) {
      const title = frame === "base" ? "Axes of the arm's first link" : "Axes of the tool";
      const button = h("button", { type: "button", class: "small", title }, text);
      button.addEventListener("click", () => {
        this.release();
        this.jogging.frame = frame;
        this.onFrame(frame);
        this.update();
      });
      this.frames.set(frame, button);
      box.append(button);
    }
    return box;
  }

  private makeAxis(axis: JogAxis): HTMLElement {
    const name = axis.at(-1)!.toUpperCase();
    const make = (sign: 1 | -1) => {
      const what = turns(axis) ? `Turn about ${name}` : `Move along ${name}`;
      const letter = keyOf(axis, sign);
      const button = new HoldButton(
        `${what}, ${sign > 0 ? "plus" : "minus"} (${letter})`,
        (isHeld) => this.jogging.set(`${axis}${sign}`, isHeld ? { ...STILL, [axis]: sign } : STILL),
        sign > 0 ? "+" : "−",
        h("kbd", {}, letter),
      );
      button.element.dataset["jog"] = `${axis}${sign > 0 ? "+" : "-"}`;
      this.buttons.push(button);
      return button.element;
    };
    const label = turns(axis) ? `↻ ${name}` : name;
    return h("div", { class: `axis ${axis.at(-1)!}` }, make(-1), h("span", {}, label), make(1));
  }

  private update(): void {
    toggle(this.element, this.tools.current?.jogger !== undefined);
    const { isPossible, frame, speeds, state } = this.jogging;
    this.buttons.forEach(({ element }) => (element.disabled = !isPossible));
    for (const [name, button] of this.frames) {
      button.setAttribute("aria-pressed", String(name === frame));
    }
    const { linear, angular } = speeds;
    setText(this.limit, `at most ${(1000 * linear).toFixed(0)} mm/s, ${angular.toFixed(2)} rad/s`);
    const text = state === undefined ? "" : explain(state);
    const isStopped = this.cockpit.stop?.stopped === true;
    setText(this.status, isStopped ? "Resume first: the robot is stopped." : text);
    this.status.classList.toggle("bad", state?.status === "blocked" && !isStopped);
  }
}
