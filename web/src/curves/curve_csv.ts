// Curves as a table: a row for each time at which any of them has a value.
import type { CurveStore } from "./curve_store";

const quoted = (text: string): string =>
  /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Names and SI units in the first line; without a value the field is empty. */
export function curvesCsv(
  store: Pick<CurveStore, "list" | "unitOf">,
  range: { from: number; to: number },
): string {
  const rows = new Map<number, (number | null)[]>();
  store.list.forEach(({ track }, column) => {
    const { time, value } = track.since(range.from);
    time.forEach((t, i) => {
      if (t <= range.to) {
        const row = rows.get(t) ?? store.list.map(() => null);
        row[column] = value[i]!;
        rows.set(t, row);
      }
    });
  });
  const names = store.list.map((curve) => {
    const unit = store.unitOf(curve);
    return quoted(`${curve.topic} ${curve.path}${unit === "" ? "" : ` (${unit})`}`);
  });
  const text = (value: number | null) =>
    value === null ? "" : String(Number(value.toPrecision(9)));
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([time, values]) => [time.toFixed(6), ...values.map(text)].join(","));
  return `${[["time (s)", ...names].join(","), ...lines].join("\n")}\n`;
}
