// Walking: keys, a stick and a gamepad give the velocity; gait and speed are chosen beside the stick.
import type { Cockpit } from "../system/cockpit";
import { propertyOf } from "../system/components";
import { apply } from "../system/settings";
import { isWalkKey, ofAxes, ofKeys, ofStick } from "../walk/walk_input";
import { REST, Walking } from "../walk/walking";
import { byId, h, setText, toggle } from "../ui/dom";
import { nextFrame, throttle } from "../ui/frame";
import { HeldInput } from "../ui/held_input";
import { Stick } from "../ui/stick";

export class WalkPanel {
  readonly walking: Walking;
  private readonly box = byId("walk");
  private readonly how = byId("walk-how");
  private readonly stick = new Stick("Drag to walk: up and down along, left and right turns");
  private readonly gait = h("select", { "aria-label": "Gait", id: "gait" });
  private readonly speed = h("input", {
    type: "range",
    min: 0.2,
    max: 1,
    step: 0.1,
    value: 1,
    "aria-label": "Highest speed",
  });
  private readonly limit = h("span", { class: "number quiet" });
  private readonly actual = h("span", { class: "number", id: "walk-speed" });
  private gaits = "";

  /** @param isTaken  whether keys and gamepad move something else */
  constructor(
    private readonly cockpit: Cockpit,
    isTaken: () => boolean,
  ) {
    this.walking = new Walking(cockpit);
    const key = (name: string) => h("kbd", {}, name);
    this.box.append(
      this.actual,
      this.gait,
      h("label", {}, this.limit, this.speed),
      this.stick.element,
    );
    this.how.append(
      h("span", {}, "Walk: ", key("W"), key("A"), key("S"), key("D"), "or arrow keys,"),
      h("span", {}, key("Q"), key("E"), "sideways;"),
      h("span", { class: "always" }, "drag the stick"),
      h("span", {}, "or use a gamepad"),
    );
    this.stick.onMove = (x, y) => this.walking.set("stick", ofStick(x, y));
    this.gait.addEventListener("change", () => this.setGait());
    this.speed.addEventListener("input", () => {
      this.walking.share = this.speed.valueAsNumber;
      this.update();
    });
    this.listen(isTaken);
    const update = () => this.update();
    cockpit.onRoles.on(() => nextFrame(update));
    cockpit.onConnection.on(() => nextFrame(update));
    cockpit.onStop.on(() => nextFrame(update));
    cockpit.onFall.on(() => nextFrame(update));
    cockpit.onBase.on(throttle(4, () => this.updateSpeed()));
    this.update();
  }

  // ---- input ----

  private listen(isTaken: () => boolean): void {
    new HeldInput({
      isKey: isWalkKey,
      isOn: () => this.walking.isPossible && !isTaken(),
      onKeys: (codes) => this.walking.set("keys", ofKeys(codes)),
      onGamepad: (gamepad) =>
        this.walking.set("gamepad", gamepad === undefined ? REST : ofAxes(gamepad.axes)),
      onRelease: () => {
        this.stick.rest();
        this.walking.release();
      },
    });
  }

  private setGait(): void {
    const { walk } = this.cockpit.roles;
    if (walk !== undefined) {
      void apply(this.cockpit, walk, "gait", this.gait.value).then((failure) => {
        if (failure !== "") {
          this.cockpit.onNotice.emit(failure);
        }
      });
    }
    this.gait.blur(); // the keys walk again
  }

  // ---- display ----

  private update(): void {
    const { walk } = this.cockpit.roles;
    toggle(this.box, walk !== undefined);
    toggle(this.how, walk !== undefined);
    if (walk === undefined) {
      return;
    }
    const { isPossible } = this.walking;
    this.box.classList.toggle("is-off", !isPossible);
    this.how.classList.toggle("is-off", !isPossible);
    this.speed.disabled = !this.cockpit.mayChange;
    const { x } = this.walking.twist({ ...REST, forward: 1 }).linear;
    setText(this.limit, `≤ ${x.toFixed(2)} m/s`);
    const property = walk.properties.find(({ name }) => name === "gait");
    const current = String(propertyOf(walk, "gait") ?? "");
    const gaits = property?.choices ?? current;
    if (gaits !== this.gaits) {
      this.gaits = gaits;
      const option = (name: string) => h("option", { value: name }, name.replaceAll("_", " "));
      this.gait.replaceChildren(...gaits.split("|").map(option));
    }
    this.gait.value = current;
    this.gait.disabled = !this.cockpit.mayChange || property?.live !== true;
    this.gait.title = property?.live === true ? "Gait" : "Gait, as the deployment sets it";
    this.updateSpeed();
  }

  private updateSpeed(): void {
    const { velocity } = this.cockpit;
    const speed = velocity && Math.hypot(velocity.linear.x, velocity.linear.y);
    setText(this.actual, speed === undefined ? "" : `${speed.toFixed(2)} m/s`);
  }
}
