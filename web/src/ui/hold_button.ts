// A button that acts while it is held, by pointer or by the Enter key.
import { h } from "./dom";

export class HoldButton {
  readonly element: HTMLButtonElement;
  private pointer: number | undefined;
  private isOn = false;

  constructor(
    label: string,
    private readonly onHold: (isHeld: boolean) => void,
    ...children: (Node | string)[]
  ) {
    this.element = h(
      "button",
      { type: "button", class: "hold", "aria-label": label, title: label },
      ...children,
    );
    const { element } = this;
    element.addEventListener("pointerdown", (event) => this.down(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      element.addEventListener(name, ({ pointerId }) => {
        if (pointerId === this.pointer) {
          this.rest();
        }
      });
    }
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault(); // no click
        this.hold(true);
      }
    });
    element.addEventListener("keyup", ({ key }) => key === "Enter" && this.rest());
    element.addEventListener("blur", () => this.rest());
    element.addEventListener("contextmenu", (event) => event.preventDefault()); // of a long touch
  }

  private down(event: PointerEvent): void {
    if (event.button === 0 && !this.element.disabled) {
      this.pointer = event.pointerId;
      this.element.setPointerCapture(event.pointerId);
      this.hold(true);
    }
  }

  private hold(isHeld: boolean): void {
    if (isHeld !== this.isOn) {
      this.isOn = isHeld;
      this.onHold(isHeld);
    }
  }

  rest(): void {
    this.pointer = undefined;
    this.hold(false);
  }
}
