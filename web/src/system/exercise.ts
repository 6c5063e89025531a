// Swings joints gently around their current positions to excite the parameters of their servos: two sines
// with unrelated frequencies per joint, different for each joint, faded in.
import type { Cockpit } from "./cockpit";
import { path } from "./components";

const PERIOD_MS = 20;
const FADE_S = 1.5;

export interface Swing {
  joint: string;
  centre: number;
  /** Half of the range, rad. */
  amplitude: number;
}

/** Position and velocity of the joint with this index, s seconds after the start. */
export function swing(
  { centre, amplitude }: Swing,
  place: number,
  s: number,
): { position: number; velocity: number } {
  const slow = 2 * Math.PI * (0.5 + 0.031 * (place % 7));
  const fast = 2 * Math.PI * (1.37 + 0.053 * (place % 5));
  const fade = Math.min(1, s / FADE_S);
  const rate = s < FADE_S ? 1 / FADE_S : 0;
  const wave = 0.7 * Math.sin(slow * s) + 0.3 * Math.sin(fast * s);
  const slope = 0.7 * slow * Math.cos(slow * s) + 0.3 * fast * Math.cos(fast * s);
  return {
    position: centre + amplitude * fade * wave,
    velocity: amplitude * (fade * slope + rate * wave),
  };
}

/** The largest swing that the limits allow, centred as near as possible to the current position. */
export function planSwing(
  joint: string,
  now: number,
  limits: { lower: number; upper: number },
  most: number,
): Swing {
  const room = 0.9 * (limits.upper - limits.lower);
  const amplitude = Math.min(most, room / 2);
  const margin = amplitude + 0.05 * (limits.upper - limits.lower);
  const centre = Math.min(limits.upper - margin, Math.max(limits.lower + margin, now));
  return { joint, centre, amplitude };
}

export class Exercise {
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly cockpit: Cockpit) {}

  get isRunning(): boolean {
    return this.timer !== undefined;
  }

  start(swings: Swing[]): void {
    const begin = performance.now();
    this.stop();
    this.timer = setInterval(() => {
      const { sliders } = this.cockpit.roles;
      if (sliders === undefined || this.cockpit.stop?.stopped) {
        this.stop();
        return;
      }
      const s = (performance.now() - begin) / 1000;
      const now = swings.map((entry, place) => swing(entry, place, s));
      this.cockpit.client.publish(path(sliders, "in_joints_ref"), {
        name: swings.map((entry) => entry.joint),
        position: now.map((entry) => entry.position),
        velocity: now.map((entry) => entry.velocity),
      });
    }, PERIOD_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
