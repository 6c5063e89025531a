// The health of real servos and buses, as reported by a driver.
import type { ComponentInfo } from "./components";

export interface ServoHealth {
  name: string[];
  state: ArrayLike<number>;
  voltage: ArrayLike<number>;
  temperature: ArrayLike<number>;
  load: ArrayLike<number>;
  faults: ArrayLike<number>;
  age: ArrayLike<number>;
  missed: ArrayLike<number | bigint>;
  retried: ArrayLike<number | bigint>;
  damaged: ArrayLike<number | bigint>;
  connected: boolean;
  bus: string[];
  bus_rate: ArrayLike<number>;
  bus_load: ArrayLike<number>;
  bus_missed: ArrayLike<number | bigint>;
  bus_damaged: ArrayLike<number | bigint>;
}

/** Bits of `faults`. */
const FAULTS = [
  "voltage",
  "too hot",
  "overload",
  "position",
  "electrical",
  "memory",
  "refused",
  "alert",
];
const STATES = ["no answer", "wrong servo or id", "found", "limp", "holds"];
const ABSENT = 0;
const STRANGE = 1;
const LIMP = 3;
const HOLDS = 4;

export interface ServoRow {
  joint: string;
  /** Id on its bus; bus:id if there are several buses. */
  id: string;
  torque: "on" | "off" | "–";
  temperature: string;
  voltage: string;
  load: string;
  /** Empty if there are none. */
  errors: string;
  /** Quality of its connection. */
  detail: string;
}

function idsOf(driver: ComponentInfo | undefined): Map<string, string> {
  const value = driver?.properties.find(({ name }) => name === "servos")?.value;
  const servos = (Array.isArray(value) ? value : []) as {
    joint?: string;
    id?: number;
    port?: number;
  }[];
  const hasPorts = servos.some(({ port }) => port !== undefined && port !== servos[0]?.port);
  return new Map(
    servos.map(({ joint, id, port }) => [
      joint ?? "",
      hasPorts ? `${port ?? 0}:${id ?? "?"}` : String(id ?? "?"),
    ]),
  );
}

export function faultNames(bits: number): string[] {
  return FAULTS.filter((_, i) => (bits & (1 << i)) !== 0);
}

/** One row per servo, in the order of the driver. */
export function servoRows(health: ServoHealth, driver: ComponentInfo | undefined): ServoRow[] {
  const ids = idsOf(driver);
  return health.name.map((joint, i) => {
    const state = health.state[i] ?? ABSENT;
    const isThere = state !== ABSENT && health.connected;
    const number = (value: number | undefined, digits: number) =>
      isThere && value !== undefined && Number.isFinite(value) ? value.toFixed(digits) : "–";
    const errors = [
      ...(!health.connected ? ["port closed"] : []),
      ...(health.connected && (state === ABSENT || state === STRANGE) ? [STATES[state]!] : []),
      ...faultNames(health.faults[i] ?? 0),
    ];
    const age = isThere ? `position ${Math.round(1000 * (health.age[i] ?? 0))} ms old, ` : "";
    return {
      joint,
      id: ids.get(joint) ?? "",
      torque: !isThere ? "–" : state === HOLDS ? "on" : state === LIMP ? "off" : "–",
      temperature: number(health.temperature[i], 0),
      voltage: number(health.voltage[i], 1),
      load: number(100 * (health.load[i] ?? NaN), 0),
      errors: errors.join(", "),
      detail:
        `${joint}: ${STATES[state] ?? "unknown"}; ${age}answers: ${health.missed[i] ?? 0} missing, ` +
        `${health.retried[i] ?? 0} retried, ${health.damaged[i] ?? 0} corrupt`,
    };
  });
}

/** One line per bus. */
export function busLines(health: ServoHealth): string[] {
  return health.bus.map(
    (bus, i) =>
      `${bus}: ${Math.round(health.bus_rate[i] ?? 0)} cycles/s, ` +
      `${Math.round(100 * (health.bus_load[i] ?? 0))} % busy, ` +
      `${health.bus_missed[i] ?? 0} answers missing, ${health.bus_damaged[i] ?? 0} corrupt`,
  );
}
