// Values, ranges and tick labels of plots.

/** Values of a plot in its unit; null for missing values, since a NaN would break the range. */
export function plotted(column: Float64Array, factor = 1): (number | null)[] {
  return Array.from(column, (value) => (Number.isFinite(value) ? value * factor : null));
}

/** Range of all values with a margin, at least `least`, so that noise of a joint at rest looks small. */
export function rangeOf(
  low: number | null | undefined,
  high: number | null | undefined,
  least: number,
): [number, number] {
  if (!Number.isFinite(low ?? NaN) || !Number.isFinite(high ?? NaN)) {
    return [-least, least];
  }
  const middle = (low! + high!) / 2;
  const half = Math.max((high! - low!) / 2, least / 2) * 1.12;
  return [middle - half, middle + half];
}

/** Tick labels with as many digits as the step needs. */
export function tickLabels(ticks: readonly number[], step: number): string[] {
  let digits = 0;
  while (digits < 9 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) {
    digits++;
  }
  return ticks.map((tick) => fixed(tick, digits));
}

/** Like toFixed, without negative zero. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}
