// Which lines of a text changed.

export interface Change {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Lengths of the longest common subsequences of all rests of two lists. */
function table(a: string[], b: string[]): Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      rows[i]![j] =
        a[i] === b[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!);
    }
  }
  return rows;
}

/** More pairs of lines are not compared. */
const PAIRS_MAX = 4e6;

/** The lines of both texts in order: the fewest that are removed and added. */
export function changes(before: string, after: string): Change[] {
  const a = before.split("\n");
  const b = after.split("\n");
  if (a.length * b.length > PAIRS_MAX) {
    const all = (kind: Change["kind"], lines: string[]) => lines.map((text) => ({ kind, text }));
    return [...all("removed", a), ...all("added", b)];
  }
  const common = table(a, b);
  const list: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      list.push({ kind: "same", text: a[i++]! });
      j++;
    } else if (j >= b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      list.push({ kind: "removed", text: a[i++]! });
    } else {
      list.push({ kind: "added", text: b[j++]! });
    }
  }
  return list;
}
