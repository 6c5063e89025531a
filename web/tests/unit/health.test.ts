import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComponentInfo } from "../../src/system/components";
import { busLines, faultNames, servoRows } from "../../src/system/health";

const health = {
  name: ["hip", "knee", "ankle"],
  state: [4, 3, 0],
  voltage: [12.04, 11.96, 0],
  temperature: [35, 71.2, 0],
  load: [-0.25, 0, 0],
  faults: [0, 2 + 4, 0],
  age: [0.008, 0.01, 0],
  missed: [1n, 0n, 40n],
  retried: [2n, 0n, 0n],
  damaged: [3n, 0n, 0n],
  connected: true,
  bus: ["/dev/ttyUSB0"],
  bus_rate: [99.7],
  bus_load: [0.27],
  bus_missed: [41n],
  bus_damaged: [3n],
};
const driver = (ports: number[]) =>
  ({
    properties: [
      {
        name: "servos",
        value: ["hip", "knee", "ankle"].map((joint, i) => ({ joint, id: 11 + i, port: ports[i] })),
      },
    ],
  }) as unknown as ComponentInfo;

test("a servo's row: id, torque, temperature, voltage, load, errors", () => {
  const [hip, knee, ankle] = servoRows(health, driver([0, 0, 0]));
  assert.deepEqual(
    [hip!.id, hip!.torque, hip!.temperature, hip!.voltage, hip!.load, hip!.errors],
    ["11", "on", "35", "12.0", "-25", ""],
  );
  assert.match(hip!.detail, /8 ms old, answers: 1 missing, 2 retried, 3 corrupt/);
  assert.deepEqual([knee!.torque, knee!.errors], ["off", "too hot, overload"]);
  assert.deepEqual([ankle!.torque, ankle!.voltage, ankle!.errors], ["–", "–", "no answer"]);
});

test("with several ports an id includes its port, and a closed port is an error of all servos", () => {
  assert.deepEqual(
    servoRows(health, driver([0, 1, 1])).map(({ id }) => id),
    ["0:11", "1:12", "1:13"],
  );
  const rows = servoRows({ ...health, connected: false }, undefined);
  rows.forEach((row) => assert.match(row.errors, /port closed/));
  assert.equal(rows[0]!.voltage, "–");
});

test("all faults have names, and buses have their numbers", () => {
  assert.equal(new Set(faultNames(255)).size, 8);
  assert.deepEqual(busLines(health), [
    "/dev/ttyUSB0: 100 cycles/s, 27 % busy, 41 answers missing, 3 corrupt",
  ]);
});
