import assert from "node:assert/strict";
import { test } from "node:test";
import { History, toCsv } from "../../src/system/history";

function filled(rows: number, capacity: number): History {
  const history = new History(capacity);
  history.reset(["a", "b"]);
  for (let i = 0; i < rows; i++) {
    history.push(i, (joint, signal) =>
      signal === "reference" ? i + (joint === "a" ? 0 : 0.5) : undefined,
    );
  }
  return history;
}

test("the rings keep the last rows, in order, whatever their number", () => {
  for (const rows of [0, 1, 4, 5, 6, 9, 10, 23]) {
    const excerpt = filled(rows, 5).excerpt("b");
    const expected = Array.from(
      { length: Math.min(rows, 5) },
      (_, i) => rows - Math.min(rows, 5) + i,
    );
    assert.deepEqual([...excerpt.time], expected);
    assert.deepEqual(
      [...excerpt.columns.reference],
      expected.map((time) => time + 0.5),
    );
    assert.ok(excerpt.columns.measured.every(Number.isNaN));
  }
});

test("an excerpt has the rows of its time only", () => {
  assert.deepEqual([...filled(20, 10).excerpt("a", 12.5, 15).time], [13, 14, 15]);
  assert.equal(filled(20, 10).excerpt("unheard of").time.length, 0);
});

test("time that goes backwards restarts the history; a repeated time adds no row", () => {
  const history = filled(8, 5);
  history.push(7, () => 1);
  assert.equal(history.excerpt("a").columns.reference.at(-1), 7);
  history.push(0.5, () => 3);
  assert.deepEqual([...history.excerpt("a").time], [0.5]);
});

test("an export has one line per row, and empty cells for unknown values", () => {
  const history = new History(3);
  history.reset(["a"]);
  history.push(1, (_, signal) => ({ reference: 0.5, measured: 0.25 })[signal as string]);
  assert.deepEqual(toCsv("a", true, history.excerpt("a")).split("\n"), [
    "time (s),a reference (rad),a measured (rad),a error (rad)," +
      "a effort (N·m),a effort measured (N·m),a residual (N·m)",
    "1.000000,0.5,0.25,0.25,,,",
    "",
  ]);
  assert.match(toCsv("a", false, history.excerpt("a")), /a error \(m\),a effort \(N\)/);
});
