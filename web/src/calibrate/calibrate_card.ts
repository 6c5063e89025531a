// The walk-through of a calibration: support the arm, go to position 0, move each joint to both ends, review, save.
import type { Cockpit } from "../system/cockpit";
import { h, setText, toggle } from "../ui/dom";
import { nextFrame } from "../ui/frame";
import { CalibrateRow } from "./calibrate_row";
import { Calibration, type Step } from "./calibration";

interface Page {
  title: string;
  text: string;
  /** Label of the button that goes on. */
  next: string;
}

const PAGES: Record<Step, Page> = {
  idle: {
    title: "Calibration",
    text: "Finds position 0 and the ends of each joint, while you move the arm by hand. It takes about three minutes.",
    next: "Calibrate…",
  },
  support: {
    title: "Step 1 of 4: support the arm",
    text: "Hold the arm with one hand, and keep the other away from pinch points. Its servos lose their torque: without support it falls.",
    next: "I hold it: go limp",
  },
  zero: {
    title: "Step 2 of 4: position 0",
    text: "Move every joint to its position 0, the pose in which the robot is drawn when all sliders are at 0. Hold it there.",
    next: "This is position 0",
  },
  ends: {
    title: "Step 3 of 4: both ends of each joint",
    text: "Move one joint after the other slowly to both of its ends. The bars grow as you move.",
    next: "Review",
  },
  review: {
    title: "Step 4 of 4: review",
    text: "Turn each joint a little in its positive direction: its mark must go to the right. If it goes to the left, tick “turns the other way”. The ranges should be close to those of the drawing.",
    next: "Save",
  },
  saved: {
    title: "Calibration is saved",
    text: "It counts from the next start. Let the arm be held where it is, end the program, and start it again. Then move one slider after the other, slowly: the arm must look as it is drawn.",
    next: "Hold the arm here",
  },
  ended: {
    title: "Calibration has ended",
    text: "Nothing was saved, and the previous calibration counts. Remove the cause, then begin again.",
    next: "Hold the arm here",
  },
};

export class CalibrateCard {
  readonly element: HTMLElement;
  private readonly calibration: Calibration;
  private readonly title = h("h3", {});
  private readonly text = h("p", { class: "quiet" });
  private readonly trouble = h("p", { class: "verdict bad", role: "alert" });
  private readonly drivers = h("select", { "aria-label": "Driver to calibrate" });
  private readonly list = h("ul", { class: "calibrate-joints" });
  private readonly next = h("button", { type: "button", class: "primary", id: "calibrate-next" });
  private readonly back = h("button", { type: "button" }, "Back");
  private readonly cancel = h("button", { type: "button", id: "calibrate-cancel" }, "Cancel");
  private rows: CalibrateRow[] = [];

  constructor(private readonly cockpit: Cockpit) {
    this.calibration = new Calibration(cockpit);
    this.cancel.title = "Save nothing, and hold the arm where it is";
    this.next.addEventListener("click", () => void this.goOn());
    this.back.addEventListener("click", () => this.calibration.back());
    this.cancel.addEventListener("click", () => void this.calibration.cancel());
    this.drivers.addEventListener("change", () => this.calibration.choose(this.drivers.value));
    this.element = h(
      "section",
      { class: "card", id: "calibration" },
      this.title,
      this.text,
      this.drivers,
      this.list,
      this.trouble,
      h("div", { class: "row" }, this.next, this.back, this.cancel),
    );
    const update = () => this.update();
    this.calibration.onChange.on(() => nextFrame(update));
    this.update();
  }

  private async goOn(): Promise<void> {
    const { calibration } = this;
    this.next.disabled = true;
    const actions: Record<Step, () => Promise<void> | void> = {
      idle: () => calibration.start(),
      support: () => calibration.goLimp(),
      zero: () => calibration.begin(),
      ends: () => calibration.review(),
      review: () => calibration.save(),
      saved: () => calibration.hold(),
      ended: () => calibration.hold(),
    };
    await actions[calibration.step]();
    this.update();
  }

  private update(): void {
    const { step, drivers, file, trouble, isComplete } = this.calibration;
    const page = PAGES[step];
    toggle(this.element, drivers.length > 0);
    this.element.dataset["step"] = step;
    setText(this.title, page.title);
    const hasFile = file !== "";
    setText(
      this.text,
      hasFile
        ? page.text + (step === "saved" ? ` File: ${file}` : "")
        : "To calibrate here, set calibration_file of the driver in the deployment: the file that keeps the result.",
    );
    setText(this.trouble, trouble);
    setText(this.next, page.next);
    this.next.classList.toggle("danger", step === "support");
    this.next.disabled = !hasFile || !this.cockpit.mayChange || (step === "ends" && !isComplete);
    this.next.title = step === "ends" && !isComplete ? "Move each joint to both ends first" : "";
    toggle(this.back, step === "review");
    toggle(this.cancel, step !== "idle" && step !== "saved" && step !== "ended");
    this.updateDrivers(step === "idle" && drivers.length > 1);
    this.updateRows(step === "ends" || step === "review");
  }

  private updateDrivers(isShown: boolean): void {
    const names = this.calibration.drivers.map(({ name }) => name);
    toggle(this.drivers, isShown);
    if (this.drivers.dataset["names"] !== names.join()) {
      this.drivers.dataset["names"] = names.join();
      this.drivers.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
    }
    this.drivers.value = this.calibration.driver?.name ?? "";
  }

  private updateRows(isShown: boolean): void {
    const { readings, reversed, step } = this.calibration;
    toggle(this.list, isShown);
    if (!isShown || readings === undefined) {
      return;
    }
    if (readings.name.join() !== this.rows.map(({ joint }) => joint).join()) {
      this.rows = readings.name.map((name) => this.createRow(name));
      this.list.replaceChildren(...this.rows.map(({ element }) => element));
    }
    this.rows.forEach((row, i) => {
      const reading = {
        position: readings.position[i] ?? 0,
        min: readings.min[i] ?? 0,
        max: readings.max[i] ?? 0,
        problem: readings.problem[i] ?? "",
      };
      row.update(reading, reversed.has(row.joint), step === "review");
    });
  }

  private createRow(joint: string): CalibrateRow {
    const row = new CalibrateRow(joint, this.cockpit.limitsOf(joint));
    row.reversed.addEventListener("change", () =>
      this.calibration.reverse(joint, row.reversed.checked),
    );
    return row;
  }
}
