// How finely the scene is drawn. A machine that cannot keep up gets fewer points while things move and
// the full picture when they rest, so that buttons and messages never wait for pictures.
import type { WebGLRenderer } from "three";

const SLOW_MS = 45; // between two frames while drawing goes on
const FAST_MS = 22;
const PAUSE_MS = 400; // longer than that: it was not drawing
const REST_MS = 350;
const RATIOS = [2, 1, 0.7, 0.5];

export class Quality {
  private level: number;
  private lastMs = 0;
  private readyMs = 0;
  private meanMs = 25;
  private width = 1;
  private height = 1;
  private isFine = true;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly renderer: WebGLRenderer,
    private readonly redraw: () => void,
  ) {
    this.level = RATIOS.findIndex((ratio) => ratio <= Math.max(devicePixelRatio, 1));
  }

  private get ratio(): number {
    const finest = Math.min(devicePixelRatio, RATIOS[0]!);
    return this.isFine ? finest : Math.min(finest, RATIOS[this.level]!);
  }

  apply(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
  }

  /** Before each frame. @return false: later, the others need the time */
  isTime(): boolean {
    const now = performance.now();
    if (now < this.readyMs) {
      return false;
    }
    const between = now - this.lastMs;
    this.lastMs = now;
    if (between < PAUSE_MS) {
      this.meanMs += 0.15 * (between - this.meanMs);
      this.choose();
    }
    // However slow a frame is, as much time is left for the rest.
    this.readyMs = now + Math.min(200, this.meanMs > SLOW_MS ? this.meanMs : 0);
    clearTimeout(this.timer);
    if (!this.isFine) {
      this.timer = setTimeout(() => this.rest(), REST_MS);
    }
    return true;
  }

  private choose(): void {
    if (this.meanMs > SLOW_MS && (this.isFine || this.level < RATIOS.length - 1)) {
      this.level = Math.min(RATIOS.length - 1, this.level + (this.isFine ? 0 : 1));
      this.isFine = false;
    } else if (this.meanMs < FAST_MS && !this.isFine && this.level > 0) {
      this.level--;
    } else {
      return;
    }
    this.meanMs = (SLOW_MS + FAST_MS) / 2; // see first what that brings
    this.apply(this.width, this.height);
  }

  private rest(): void {
    this.isFine = true;
    this.lastMs = 0;
    this.redraw();
  }
}
