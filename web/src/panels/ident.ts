// Identification of servos: choose, start, move, see how it goes, accept or throw away.
import type { Cockpit } from "../system/cockpit";
import { path } from "../system/components";
import { Exercise, planSwing } from "../system/exercise";
import { h, setText, toggle } from "../ui/dom";

const POLL_MS = 500;
const ENOUGH = 2000; // samples after which the bar is full
const AMPLITUDE = 0.45; // rad

interface ServoState {
  name: string;
  has_model: boolean;
  running: boolean;
  samples: number;
  error: number | null;
  alpha: number[];
  std: (number | null)[];
  excitation: number;
  excited: boolean;
}

class Row {
  readonly element: HTMLElement;
  readonly box: HTMLInputElement;
  private readonly bar = h("progress", { max: 1, value: 0 });
  private readonly error = h("td", { class: "number" });
  private readonly alpha = h("div", {
    class: "alpha quiet",
    title: "α₀ … α₃: V·s/rad, V, V, V/(N·m)",
  });
  private readonly excited = h("td", {});

  constructor(readonly name: string) {
    this.box = h("input", { type: "checkbox", "aria-label": `Identify ${name}`, value: name });
    this.bar.setAttribute("aria-label", `${name}, progress`);
    this.element = h(
      "tr",
      { "data-servo": name },
      h("th", { scope: "row" }, h("label", {}, this.box, " ", name), this.alpha),
      h("td", {}, this.bar),
      this.error,
      this.excited,
    );
  }

  update(state: ServoState, isRunning: boolean): void {
    this.box.disabled = isRunning || !state.has_model;
    toggle(this.bar, state.running);
    toggle(this.alpha, state.running || this.box.checked);
    this.bar.value = Math.min(1, state.samples / ENOUGH);
    this.bar.title = `${state.samples} samples`;
    this.element.classList.toggle("running", state.running);
    setText(
      this.error,
      state.error === null || !Number.isFinite(state.error) ? "–" : (1000 * state.error).toFixed(2),
    );
    const spread = (i: number) => {
      const std = state.std[i];
      return state.running && std !== null && std !== undefined && std > 0
        ? ` ±${std.toPrecision(1)}`
        : "";
    };
    setText(
      this.alpha,
      state.alpha.map((value, i) => `${value.toPrecision(3)}${spread(i)}`).join(", "),
    );
    setText(
      this.excited,
      !state.running ? "" : state.excited ? "enough motion" : "needs more motion",
    );
    this.excited.classList.toggle("good", state.excited);
  }
}

export class IdentPanel {
  readonly element: HTMLElement;
  private readonly exercise: Exercise;
  private readonly rows = new Map<string, Row>();
  private readonly body = h("tbody", {});
  private readonly all = h("input", { type: "checkbox", "aria-label": "Choose all servos" });
  private readonly start = h("button", { type: "button", class: "primary" }, "Start");
  private readonly accept = h("button", { type: "button", class: "primary" }, "Accept");
  private readonly abort = h("button", { type: "button" }, "Throw away");
  private readonly undo = h("button", { type: "button" }, "Undo");
  private readonly moves = h("input", { type: "checkbox", checked: true });
  private readonly verdict = h("p", { role: "status", class: "verdict" });
  private isRunning = false;
  private canUndo = false;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly cockpit: Cockpit) {
    this.exercise = new Exercise(cockpit);
    this.start.addEventListener("click", () => void this.begin());
    this.accept.addEventListener("click", () => void this.end());
    this.abort.addEventListener("click", () => void this.throwAway());
    this.undo.addEventListener("click", () => void this.goBack());
    this.all.addEventListener("change", () => {
      for (const row of this.rows.values()) {
        row.box.checked = this.all.checked && !row.box.disabled;
      }
      this.refresh();
    });
    this.body.addEventListener("change", () => this.refresh());
    this.element = h(
      "div",
      { class: "panel" },
      h(
        "section",
        { class: "card" },
        h("h3", {}, "Identify servos"),
        h(
          "p",
          { class: "quiet" },
          "What friction and losses each servo has is found from its motion. Choose servos, start, let them move, accept when the error is small.",
        ),
        h("div", { class: "row" }, this.start, this.accept, this.abort, this.undo),
        h(
          "label",
          { class: "row single" },
          this.moves,
          " Swing the chosen joints meanwhile (takes their limbs)",
        ),
        this.verdict,
      ),
      h(
        "section",
        { class: "card" },
        h(
          "table",
          { class: "data ident" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, h("label", {}, this.all, " Servo")),
              h("th", { scope: "col" }, "Progress"),
              h(
                "th",
                { scope: "col", class: "number", title: "Mean prediction error of the position" },
                "Residual mrad",
              ),
              h("th", { scope: "col" }, "Motion"),
            ),
          ),
          this.body,
        ),
      ),
    );
    cockpit.onConnection.on(() => this.refresh());
    cockpit.onStop.on(() => {
      if (cockpit.stop?.stopped) {
        this.exercise.stop();
      }
    });
    this.refresh();
  }

  private chosen(): string[] {
    return [...this.rows.values()].filter((row) => row.box.checked).map((row) => row.name);
  }

  private refresh(): void {
    toggle(this.start, !this.isRunning);
    toggle(this.accept, this.isRunning);
    toggle(this.abort, this.isRunning);
    toggle(this.undo, !this.isRunning && this.canUndo);
    this.start.disabled = this.chosen().length === 0 || !this.cockpit.mayChange;
  }

  private call<T>(operation: string, request: object = {}): Promise<T> {
    const { ident } = this.cockpit.roles;
    if (ident === undefined) {
      return Promise.reject(new Error("this deployment identifies no servos"));
    }
    return this.cockpit.client.call<T>(path(ident, operation), request);
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      setText(this.verdict, (error as Error).message);
    }
    await this.poll();
  }

  private begin(): Promise<void> {
    const names = this.chosen();
    return this.attempt(async () => {
      const answer = await this.call<{ success?: boolean; message?: string }>(
        "startIdentification",
        { names },
      );
      if (answer.success === false) {
        throw new Error(answer.message || "it cannot begin");
      }
      setText(
        this.verdict,
        `Identifying ${names.length === 1 ? names[0] : `${names.length} servos`}.`,
      );
      if (this.moves.checked) {
        await this.swing(names);
      }
    });
  }

  private async swing(names: string[]): Promise<void> {
    const { sliders } = this.cockpit.roles;
    const limbs = this.cockpit.limbs.filter((limb) => limb.joints.some((j) => names.includes(j)));
    if (
      sliders === undefined ||
      !(await this.cockpit.take(
        sliders,
        limbs.map((limb) => limb.name),
      ))
    ) {
      return;
    }
    this.exercise.start(
      names.map((joint) =>
        planSwing(
          joint,
          this.cockpit.desired.positionOf(joint) ?? 0,
          this.cockpit.limitsOf(joint),
          AMPLITUDE,
        ),
      ),
    );
  }

  private async endSwing(): Promise<void> {
    const { sliders } = this.cockpit.roles;
    if (this.exercise.isRunning && sliders !== undefined) {
      this.exercise.stop();
      await this.cockpit.do(sliders, "setOperational", { operational: false, resources: [] });
    }
  }

  private end(): Promise<void> {
    return this.attempt(async () => {
      const { names, message } = await this.call<{ names: string[]; message?: string }>(
        "endIdentification",
      );
      await this.endSwing();
      this.canUndo = names.length > 0;
      const told = message ? ` ${message}` : "";
      setText(
        this.verdict,
        names.length > 0
          ? `New models: ${names.join(", ")}.${told}`
          : `No model was good enough; those of before stay.${told}`,
      );
    });
  }

  private throwAway(): Promise<void> {
    return this.attempt(async () => {
      await this.call("abortIdentification");
      await this.endSwing();
      setText(this.verdict, "Thrown away; the models of before stay.");
    });
  }

  private goBack(): Promise<void> {
    return this.attempt(async () => {
      const { names } = await this.call<{ names: string[] }>("undoIdentification");
      this.canUndo = false;
      setText(this.verdict, `The models of before are back: ${names.join(", ")}.`);
    });
  }

  /** Ask only while somebody looks. */
  shown(): void {
    void this.poll();
    this.timer ??= setInterval(() => {
      if (this.element.offsetParent === null) {
        clearInterval(this.timer);
        this.timer = undefined;
      } else {
        void this.poll();
      }
    }, POLL_MS);
  }

  private async poll(): Promise<void> {
    let states: ServoState[];
    try {
      states = (await this.call<{ servos: ServoState[] }>("status")).servos;
    } catch {
      return; // not running, or no connection: the next time
    }
    this.isRunning = states.some((state) => state.running);
    if (states.length !== this.rows.size || states.some((state) => !this.rows.has(state.name))) {
      this.rows.clear();
      states.forEach((state) => this.rows.set(state.name, new Row(state.name)));
      this.body.replaceChildren(...[...this.rows.values()].map((row) => row.element));
    }
    states.forEach((state) => this.rows.get(state.name)!.update(state, this.isRunning));
    this.refresh();
  }
}
