// How finely the scene is drawn. A machine that cannot keep up gets fewer points while things move and
// a finer picture when they rest, so that buttons and messages never wait long for pictures.

const SLOW_MS = 45; // of a frame
const FAST_MS = 22;
const LONG_MS = 4 * SLOW_MS; // so slow that the coarsest picture is the right one at once
const SLEEP_MS = 20000; // longer than that: the machine slept
const REST_MS = 350;
const REST_COST_MS = 500; // what a picture at rest may cost
const RATIOS = [2, 1, 0.7, 0.5, 0.35];

/** The part of a renderer that is used; tests bring their own. */
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
  /** While things move. */
  private level: number;
  /** At rest; the finest that this machine draws in a tolerable time. */
  private restLevel = 0;
  private readyMs = 0;
  private meanMs = (SLOW_MS + FAST_MS) / 2;
  private width = 1;
  private height = 1;
  private isResting = true;
  /** The ratio has changed; a new size empties the picture, so it waits for the next frame. */
  private isOther = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly canvas: Canvas,
    private readonly redraw: () => void,
    private readonly pixelRatio: number = devicePixelRatio,
    private readonly clock: Clock = browser,
  ) {
    this.level = RATIOS.findIndex((ratio) => ratio <= Math.max(pixelRatio, 1));
  }

  /** Points drawn for each point of the page, along one side. */
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

  /** Before each frame. @return false: later, the others need the time */
  isTime(): boolean {
    const begin = this.clock.now();
    if (begin < this.readyMs) {
      return false;
    }
    // However slow a frame is, as much time is left for the rest.
    this.readyMs = begin + Math.min(200, this.meanMs > SLOW_MS ? this.meanMs : 0);
    if (this.isOther) {
      this.isOther = false;
      this.apply(this.width, this.height);
    }
    const wasResting = this.isResting;
    const wasHidden = this.clock.isHidden();
    // A frame has ended when the browser comes to the next one, whether something is drawn in it or not.
    this.clock.next(() => {
      if (!wasHidden && !this.clock.isHidden()) {
        this.learn(this.clock.now() - begin, wasResting);
      }
    });
    clearTimeout(this.timer);
    if (!this.isResting) {
      this.timer = setTimeout(() => this.rest(), REST_MS);
    }
    return true;
  }

  /** @param took  ms from the start of a frame to the start of the next */
  private learn(took: number, wasResting: boolean): void {
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
    this.meanMs = (SLOW_MS + FAST_MS) / 2; // see first what that brings
    this.isOther = true;
  }

  private rest(): void {
    this.isResting = true;
    this.redraw();
  }
}
