// The last minute of every joint in ring buffers, for plots and CSV export.

export const SIGNALS = ["reference", "measured", "effort", "effortMeasured", "residual"] as const;
export type SignalName = (typeof SIGNALS)[number];

export interface Excerpt {
  time: Float64Array;
  columns: Record<SignalName, Float64Array>;
}

export class History {
  private times: Float64Array;
  private rings: Record<SignalName, Float32Array>;
  private joints: string[] = [];
  private index = new Map<string, number>();
  private head = 0;
  count = 0;

  constructor(readonly capacity: number) {
    this.times = new Float64Array(capacity);
    this.rings = this.makeRings();
  }

  private makeRings(): Record<SignalName, Float32Array> {
    const make = () => new Float32Array(this.capacity * this.joints.length);
    return {
      reference: make(),
      measured: make(),
      effort: make(),
      effortMeasured: make(),
      residual: make(),
    };
  }

  /** Discard everything and keep these joints from now on. */
  reset(joints: string[]): void {
    this.joints = joints;
    this.index = new Map(joints.map((name, i) => [name, i]));
    this.rings = this.makeRings();
    this.head = this.count = 0;
  }

  get latestTime(): number {
    return this.count === 0 ? 0 : this.times[(this.head + this.capacity - 1) % this.capacity]!;
  }

  /** Append one row. If time goes backwards (the server restarted), the rings are emptied first.
   *  @param read  the current value of a joint's signal; undefined: not available */
  push(timeS: number, read: (joint: string, signal: SignalName) => number | undefined): void {
    if (this.count > 0 && timeS <= this.latestTime) {
      if (timeS === this.latestTime) {
        return;
      }
      this.head = this.count = 0;
    }
    const row = this.head * this.joints.length;
    this.times[this.head] = timeS;
    for (const signal of SIGNALS) {
      const ring = this.rings[signal];
      for (let j = 0; j < this.joints.length; j++) {
        ring[row + j] = read(this.joints[j]!, signal) ?? NaN;
      }
    }
    this.head = (this.head + 1) % this.capacity;
    this.count = Math.min(this.count + 1, this.capacity);
  }

  /** Rows of one joint with a time in [fromS, toS], the oldest first. */
  excerpt(joint: string, fromS = -Infinity, toS = Infinity): Excerpt {
    const j = this.index.get(joint);
    const rows: number[] = [];
    for (let i = 0; j !== undefined && i < this.count; i++) {
      const row = (this.head + this.capacity - this.count + i) % this.capacity;
      const time = this.times[row]!;
      if (time >= fromS && time <= toS) {
        rows.push(row);
      }
    }
    const column = (ring: Float32Array) =>
      Float64Array.from(rows, (row) => ring[row * this.joints.length + j!]!);
    return {
      time: Float64Array.from(rows, (row) => this.times[row]!),
      columns: {
        reference: column(this.rings.reference),
        measured: column(this.rings.measured),
        effort: column(this.rings.effort),
        effortMeasured: column(this.rings.effortMeasured),
        residual: column(this.rings.residual),
      },
    };
  }
}

/** CSV with names and SI units in the first line; unknown values are empty.
 *  @param isAngle  whether the joint rotates; otherwise it slides */
export function toCsv(joint: string, isAngle: boolean, excerpt: Excerpt): string {
  const text = (value: number) =>
    Number.isFinite(value) ? String(Number(value.toPrecision(9))) : "";
  const { reference, measured, effort, effortMeasured, residual } = excerpt.columns;
  const [position, force] = isAngle ? ["rad", "N·m"] : ["m", "N"];
  const lines = [
    [
      "time (s)",
      ...["reference", "measured", "error"].map((name) => `${joint} ${name} (${position})`),
      ...["effort", "effort measured", "residual"].map((name) => `${joint} ${name} (${force})`),
    ].join(","),
  ];
  excerpt.time.forEach((time, i) => {
    const values = [
      reference[i]!,
      measured[i]!,
      reference[i]! - measured[i]!,
      effort[i]!,
      effortMeasured[i]!,
      residual[i]!,
    ];
    lines.push([time.toFixed(6), ...values.map(text)].join(","));
  });
  return `${lines.join("\n")}\n`;
}
