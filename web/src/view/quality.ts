// Resolution of the scene. A slow machine draws fewer pixels while things move and a finer picture at
// rest, so that buttons and messages never wait long for drawing.

const SLOW_MS = 45; // per frame
const FAST_MS = 22;
const LONG_MS = 4 * SLOW_MS; // switch to the coarsest picture at once
const SLEEP_MS = 20000; // longer frames mean that the machine was suspended
const REST_MS = 350;
const REST_COST_MS = 500; // maximum for a picture at rest
const RATIOS = [2, 1, 0.7, 0.5, 0.35];

/** The part of a renderer that is used; tests provide their own. */
export interface Canvas {
  setPixelRatio(ratio: number): void;
  setSize(width: number, height: number, updateStyle: boolean): void;
}

export interface Clock {
  now: () => number;
  /** In the next animation frame. */
  next: (call: () => void) => void;
  isHidden: () => boolean;
}

const browser: Clock = {
  now: () => performance.now(),
  next: (call) => requestAnimationFrame(call),
  isHidden: () => document.hidden,
};

export class Quality {
  /** Level while things move. */
  private level: number;
  /** Level at rest: the finest that this machine draws in acceptable time. */
  private restLevel = 0;
  private readyMs = 0;
  private meanMs = (SLOW_MS + FAST_MS) / 2;
  private width = 1;
  private height = 1;
  private isResting = true;
  /** The ratio changed. Resizing clears the picture, so it is applied with the next frame. */
  private isStale = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly canvas: Canvas,
    private readonly redraw: () => void,
    private readonly pixelRatio: number = devicePixelRatio,
    private readonly clock: Clock = browser,
  ) {
    this.level = RATIOS.findIndex((ratio) => ratio <= Math.max(pixelRatio, 1));
  }

  /** Pixels drawn per CSS pixel, along one side. */
  get ratio(): number {
    const level = this.isResting ? this.restLevel : this.level;
    return Math.min(this.pixelRatio, RATIOS[level]!);
  }

  private get coarsest(): number {
    return RATIOS.length - 1;
  }

  apply(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.canvas.setPixelRatio(this.ratio);
    this.canvas.setSize(width, height, false);
  }

  /** Call before each frame. @return false: skip this frame, to leave time for other work */
  isTime(): boolean {
    const begin = this.clock.now();
    if (begin < this.readyMs) {
      return false;
    }
    // Leave as much time for other work as a frame takes.
    this.readyMs = begin + Math.min(200, this.meanMs > SLOW_MS ? this.meanMs : 0);
    if (this.isStale) {
      this.isStale = false;
      this.apply(this.width, this.height);
    }
    const wasResting = this.isResting;
    const wasHidden = this.clock.isHidden();
    // A frame ends when the browser starts the next one, whether anything is drawn in that or not.
    this.clock.next(() => {
      if (!wasHidden && !this.clock.isHidden()) {
        this.adapt(this.clock.now() - begin, wasResting);
      }
    });
    clearTimeout(this.timer);
    if (!this.isResting) {
      this.timer = setTimeout(() => this.rest(), REST_MS);
    }
    return true;
  }

  /** @param took  ms from the start of a frame to the start of the next */
  private adapt(took: number, wasResting: boolean): void {
    if (took > SLEEP_MS) {
      return;
    }
    if (wasResting && took > REST_COST_MS) {
      this.restLevel = Math.min(this.coarsest, this.restLevel + 1);
    }
    this.meanMs += 0.15 * (took - this.meanMs);
    if (this.meanMs > SLOW_MS && (this.isResting || this.level < this.coarsest)) {
      const isLong = took > LONG_MS;
      const step = this.isResting ? 0 : 1;
      this.level = isLong ? this.coarsest : Math.min(this.coarsest, this.level + step);
      this.isResting = false;
    } else if (this.meanMs < FAST_MS && !this.isResting && this.level > 0) {
      this.level--;
    } else {
      return;
    }
    this.meanMs = (SLOW_MS + FAST_MS) / 2; // measure the effect first
    this.isStale = true;
  }

  private rest(): void {
    this.isResting = true;
    this.redraw();
  }
}
