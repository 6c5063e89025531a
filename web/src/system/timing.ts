// The messages of `/sinew/timing`.

export interface Distribution {
  count: number;
  mean_ns: number;
  p50_ns: number;
  p99_ns: number;
  max_ns: number;
  /** Lower edge in ns, count. */
  buckets?: [number, number][];
}

export interface Timing {
  now_ns: number;
  activities: {
    name: string;
    period_ns: number;
    cycles: number;
    overruns: number;
    skipped: number;
    /** Loses cycles persistently, or has stalled. */
    late?: boolean;
    /** Skipped cycles, and cycles that ended late, in the last full second. */
    lost?: number;
    overran?: number;
    lateness: Distribution;
    duration: Distribution;
  }[];
  components: {
    name: string;
    state: string;
    steps: number;
    troubles: number;
    duration: Distribution;
  }[];
  server?: { clients: number };
}

/** Buckets merged into two bars per octave, from the first non-empty one to the last. */
export function octaves(buckets: [number, number][]): { fromNs: number; count: number }[] {
  const bars = new Map<number, number>();
  for (const [edge, count] of buckets) {
    const bar = Math.floor(2 * Math.log2(Math.max(edge, 1)) + 1e-9);
    bars.set(bar, (bars.get(bar) ?? 0) + count);
  }
  if (bars.size === 0) {
    return [];
  }
  const first = Math.min(...bars.keys());
  const last = Math.max(...bars.keys());
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    fromNs: 2 ** ((first + i) / 2),
    count: bars.get(first + i) ?? 0,
  }));
}

/** Text for a duration: 1234567 ns is "1.23 ms". */
export function duration(ns: number): string {
  const units: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
  ];
  for (const [size, unit] of units) {
    if (ns >= size) {
      return `${(ns / size).toPrecision(3)} ${unit}`;
    }
  }
  return `${Math.round(ns)} ns`;
}

/** Text about activities that lose cycles; empty if none does. */
export function overload({ activities }: Pick<Timing, "activities">): string {
  const texts = activities
    .filter((activity) => activity.late)
    .map(({ name, period_ns, lost = 0, overran = 0 }) => {
      const all = period_ns > 0 ? ` of ${Math.round(1e9 / period_ns)}` : "";
      if (lost > 0) {
        return `${name}: ${lost}${all} cycles lost`;
      }
      return overran > 0 ? `${name}: ${overran}${all} cycles too long` : `${name}: no cycles`;
    });
  return texts.join("; ");
}
