// Times of a recording on a slider and as text.

/** Positions of the slider. */
export const STEPS = 1000;

export const seconds = (durationNs: bigint): number => Number(durationNs) * 1e-9;

/** The time at a position of the slider, 0 to STEPS. */
export function timeOfStep(range: { startNs: bigint; endNs: bigint }, step: number): bigint {
  const length = range.endNs - range.startNs;
  return range.startNs + (length * BigInt(Math.round(step))) / BigInt(STEPS);
}

/** `0:05.2`, `12:00.0`, `1:02:03.4` */
export function clock(time: number): string {
  const tenths = Math.round(time * 10);
  const rest = tenths % 600;
  const minutes = Math.floor(tenths / 600);
  const text = `${Math.floor(rest / 10)}.${rest % 10}`.padStart(4, "0");
  return minutes < 60
    ? `${minutes}:${text}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${text}`;
}

export function fileSize(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
