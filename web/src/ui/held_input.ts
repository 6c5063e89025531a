// Keys and gamepads that are held. Whatever might hide that they are let go, such as another window, ends them.
import { takesArrows, takesLetters } from "./typing";

const GAMEPAD_MS = 50;

export interface HeldInputOptions {
  isKey: (code: string) => boolean;
  /** Whether the input has a meaning now. */
  isOn: () => boolean;
  /** The keys that are held, by their place on the keyboard. */
  onKeys: (codes: ReadonlySet<string>) => void;
  /** undefined: none is there, or the window is not in front */
  onGamepad: (gamepad: Gamepad | undefined) => void;
  /** Nothing is held any more. */
  onRelease: () => void;
}

const isArrow = (code: string): boolean => code.startsWith("Arrow");

export class HeldInput {
  private readonly pressed = new Set<string>();
  private gamepads: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: HeldInputOptions) {
    addEventListener("keydown", (event) => this.press(event));
    addEventListener("keyup", ({ code }) => this.lift(code));
    addEventListener("blur", () => this.release());
    addEventListener("pagehide", () => this.release());
    document.addEventListener("visibilitychange", () => this.release());
    document.addEventListener("focusin", ({ target }) => {
      if (takesLetters(target)) {
        this.release(); // the keys are text now
      }
    });
    addEventListener("gamepadconnected", () => {
      this.gamepads ??= setInterval(() => this.readGamepads(), GAMEPAD_MS);
    });
  }

  private press(event: KeyboardEvent): void {
    const { code, target } = event;
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented;
    const isTaken = isArrow(code) ? takesArrows(target) : takesLetters(target);
    if (isOther || isTaken || !this.options.isKey(code) || !this.options.isOn()) {
      return;
    }
    event.preventDefault(); // arrow keys would scroll the page, and other parts must not use it
    this.pressed.add(code);
    this.options.onKeys(this.pressed);
  }

  private lift(code: string): void {
    if (this.pressed.delete(code)) {
      this.options.onKeys(this.pressed);
    }
  }

  release(): void {
    this.pressed.clear();
    this.options.onRelease();
  }

  private readGamepads(): void {
    const gamepads = navigator.getGamepads().filter((gamepad) => gamepad !== null);
    if (gamepads.length === 0) {
      clearInterval(this.gamepads);
      this.gamepads = undefined;
    }
    const isHere = document.hasFocus() && this.options.isOn();
    this.options.onGamepad(isHere ? gamepads[0] : undefined);
  }
}
