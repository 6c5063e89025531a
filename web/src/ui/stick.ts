// A stick for fingers and the mouse: drag the knob away from the middle, let go to rest.
import { h } from "./dom";

export class Stick {
  readonly element: HTMLElement;
  /** To the right and down, -1 to 1. */
  onMove: (x: number, y: number) => void = () => undefined;
  private readonly knob = h("span", { class: "knob" });
  private pointer: number | undefined;

  constructor(label: string) {
    this.element = h(
      "div",
      { class: "stick", role: "img", "aria-label": label, title: label },
      this.knob,
    );
    const { element } = this;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      element.addEventListener(name, (event) => this.up(event));
    }
    element.addEventListener("contextmenu", (event) => event.preventDefault()); // of a long touch
  }

  private down(event: PointerEvent): void {
    if (this.pointer !== undefined || event.button !== 0) {
      return;
    }
    event.preventDefault();
    this.pointer = event.pointerId;
    this.element.setPointerCapture(event.pointerId);
    this.drag(event);
  }

  private drag(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) {
      return;
    }
    const box = this.element.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = (2 * (event.clientY - box.top)) / box.height - 1;
    const away = Math.max(1, Math.hypot(x, y));
    this.place(x / away, y / away);
  }

  private up(event: PointerEvent): void {
    if (event.pointerId === this.pointer) {
      this.rest();
    }
  }

  /** Back to the middle. */
  rest(): void {
    this.pointer = undefined;
    this.place(0, 0);
  }

  private place(x: number, y: number): void {
    this.knob.style.translate = `${32 * x}% ${32 * y}%`;
    this.onMove(x, y);
  }
}
