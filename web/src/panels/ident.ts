// Identification of servos: select, start, move, observe, accept or discard.
import type { Cockpit } from "../system/cockpit";
import { path } from "../system/components";
import { Exercise, planSwing } from "../system/exercise";
import { h, setText, toggle } from "../ui/dom";
import { IdentRow, type ServoState } from "./ident_row";

const POLL_MS = 500;
const AMPLITUDE = 0.45; // rad

export class IdentPanel {
  readonly element: HTMLElement;
  private readonly exercise: Exercise;
  private readonly rows = new Map<string, IdentRow>();
  private readonly body = h("tbody", {});
  private readonly all = h("input", { type: "checkbox", "aria-label": "Select all servos" });
  private readonly start = h("button", { type: "button", class: "primary" }, "Start");
  private readonly accept = h("button", { type: "button", class: "primary" }, "Accept");
  private readonly abort = h("button", { type: "button" }, "Discard");
  private readonly undo = h("button", { type: "button" }, "Undo");
  private readonly moves = h("input", { type: "checkbox", checked: true });
  private readonly saving = h("p", { class: "saving" });
  private readonly verdict = h("p", { role: "status", class: "verdict" });
  private isRunning = false;
  private canUndo = false;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly cockpit: Cockpit) {
    this.exercise = new Exercise(cockpit);
    this.start.addEventListener("click", () => void this.begin());
    this.accept.addEventListener("click", () => void this.end());
    this.abort.addEventListener("click", () => void this.discard());
    this.undo.addEventListener("click", () => void this.goBack());
    this.all.addEventListener("change", () => {
      for (const row of this.rows.values()) {
        row.box.checked = this.all.checked && !row.box.disabled;
      }
      this.sort();
    });
    this.body.addEventListener("change", () => this.sort());
    this.start.title = "Select servos below first";
    this.accept.title = "Use the models whose error is small enough";
    this.abort.title = "Stop, and keep the previous models";
    this.undo.title = "Restore the previous models";
    this.element = h("div", { class: "cards" }, this.controls(), this.table());
    cockpit.onConnection.on(() => this.refresh());
    cockpit.onRoles.on(() => this.refresh());
    cockpit.onStop.on(() => {
      if (cockpit.stop?.stopped) {
        this.exercise.stop();
      }
    });
    this.refresh();
  }

  private controls(): HTMLElement {
    const swing = " Swing the selected joints meanwhile (takes their limbs)";
    return h(
      "section",
      { class: "card", id: "identification" },
      h("h3", {}, "Identification"),
      h(
        "p",
        { class: "quiet" },
        "Estimates the friction and losses of servos from their motion. Select servos, start, let them move, and accept when the error is small.",
      ),
      h("div", { class: "row" }, this.start, this.accept, this.abort, this.undo),
      h("label", { class: "row single" }, this.moves, swing),
      this.saving,
      this.verdict,
    );
  }

  private table(): HTMLElement {
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, h("label", {}, this.all, " Servo")),
      h("th", { scope: "col" }, "Samples"),
      h(
        "th",
        { scope: "col", class: "number", title: "Prediction error of the position, RMS" },
        "Error mrad",
      ),
      h("th", { scope: "col", title: "Whether the motion excites all parameters" }, "Motion"),
    );
    return h(
      "section",
      { class: "card" },
      h("table", { class: "data ident" }, h("thead", {}, head), this.body),
    );
  }

  private chosen(): string[] {
    return [...this.rows.values()].filter((row) => row.box.checked).map((row) => row.name);
  }

  /** Selected servos come first. */
  private sort(): void {
    const rows = [...this.rows.values()];
    const order = [
      ...rows.filter((row) => row.box.checked),
      ...rows.filter((row) => !row.box.checked),
    ];
    const focus = document.activeElement as HTMLElement | null;
    rows.forEach((row) => row.showDetails());
    this.body.replaceChildren(...order.flatMap((row) => row.elements));
    if (this.body.contains(focus)) {
      focus!.focus();
    }
    this.refresh();
  }

  /** Show before acceptance whether models will be saved. */
  private showSaving(): void {
    const { ident } = this.cockpit.roles;
    const file = ident?.properties.find(({ name }) => name === "servo_models_file")?.value;
    const isSaved = typeof file === "string" && file !== "";
    this.saving.classList.toggle("warning", !isSaved);
    setText(
      this.saving,
      isSaved
        ? `Accepted models are saved to ${file}.`
        : `Accepted models are not saved and are lost when the program ends. Set servo_models_file of ${ident?.name ?? "servo_ident"} to keep them.`,
    );
  }

  private refresh(): void {
    this.showSaving();
    toggle(this.element, this.cockpit.roles.ident !== undefined);
    toggle(this.start, !this.isRunning);
    toggle(this.accept, this.isRunning);
    toggle(this.abort, this.isRunning);
    toggle(this.undo, !this.isRunning && this.canUndo);
    this.start.disabled = this.chosen().length === 0 || !this.cockpit.mayChange;
  }

  private call<T>(operation: string, request: object = {}): Promise<T> {
    const { ident } = this.cockpit.roles;
    if (ident === undefined) {
      return Promise.reject(new Error("This deployment cannot identify servos"));
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
        throw new Error(answer.message || "Identification cannot start");
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
      const { names, saved, message } = await this.call<{
        names: string[];
        saved: boolean;
        message?: string;
      }>("endIdentification");
      await this.endSwing();
      this.canUndo = names.length > 0;
      setText(
        this.verdict,
        names.length > 0
          ? `New models: ${names.join(", ")}. ${saved ? "Saved." : `Not saved: ${message ?? "no reason given"}.`}`
          : "No model was good enough. The previous models are kept.",
      );
    });
  }

  private discard(): Promise<void> {
    return this.attempt(async () => {
      await this.call("abortIdentification");
      await this.endSwing();
      setText(this.verdict, "Discarded. The previous models are kept.");
    });
  }

  private goBack(): Promise<void> {
    return this.attempt(async () => {
      const { names } = await this.call<{ names: string[] }>("undoIdentification");
      this.canUndo = false;
      setText(this.verdict, `Previous models restored: ${names.join(", ")}.`);
    });
  }

  /** Poll only while the panel is visible. */
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
      return; // not running, or no connection: try again next time
    }
    this.isRunning = states.some((state) => state.running);
    if (states.length !== this.rows.size || states.some((state) => !this.rows.has(state.name))) {
      this.rows.clear();
      states.forEach((state) => this.rows.set(state.name, new IdentRow(state.name)));
      this.sort();
    }
    states.forEach((state) => this.rows.get(state.name)!.update(state, this.isRunning));
    this.refresh();
  }
}
