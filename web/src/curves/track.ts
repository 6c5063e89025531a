// The last minute of one curve, in a ring.

const ROWS = 3600; // one minute at 60 Hz, the server's maximum

export class Track {
  private readonly times = new Float64Array(ROWS);
  private readonly values = new Float64Array(ROWS);
  private head = 0;
  private count = 0;

  get latestTime(): number {
    return this.count === 0 ? 0 : this.times[(this.head + ROWS - 1) % ROWS]!;
  }

  get latest(): number {
    return this.count === 0 ? NaN : this.values[(this.head + ROWS - 1) % ROWS]!;
  }

  /** If time goes backwards (the server restarted, or a recording jumped), the curve begins again. */
  push(time: number, value: number): void {
    if (this.count > 0 && time <= this.latestTime) {
      if (time === this.latestTime) {
        return; // sent again
      }
      this.head = this.count = 0;
    }
    this.times[this.head] = time;
    this.values[this.head] = value;
    this.head = (this.head + 1) % ROWS;
    this.count = Math.min(this.count + 1, ROWS);
  }

  /** Since a time, the oldest first; null: no number. */
  since(from: number): { time: number[]; value: (number | null)[] } {
    const time: number[] = [];
    const value: (number | null)[] = [];
    for (let i = 0; i < this.count; i++) {
      const row = (this.head + ROWS - this.count + i) % ROWS;
      if (this.times[row]! >= from) {
        time.push(this.times[row]!);
        value.push(Number.isFinite(this.values[row]!) ? this.values[row]! : null);
      }
    }
    return { time, value };
  }
}
