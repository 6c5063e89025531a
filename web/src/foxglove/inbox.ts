// What has arrived. A page that cannot keep up must show the present, not the past: where many messages of one
// subscription wait, only the newest are delivered. Everything else is delivered, all in the order of arrival.
import { subscriptionOf } from "./wire";

const KEPT = 20; // messages of a subscription; at 50 a second they are less than half a second

/** Call later, after everything that has arrived already. */
export type Defer = (call: () => void) => void;

/** In a task of its own, without the delays of timers in pages that are not seen. */
export function inNextTask(): Defer {
  const { port1, port2 } = new MessageChannel();
  const calls: (() => void)[] = [];
  port1.onmessage = () => calls.shift()?.();
  return (call) => {
    calls.push(call);
    port2.postMessage(undefined);
  };
}

export class Inbox {
  private waiting: unknown[] = [];

  /** @param canSkip  whether older messages of this subscription are of no interest */
  constructor(
    private readonly deliver: (data: unknown) => void,
    private readonly canSkip: (subscription: number) => boolean,
    private readonly defer: Defer,
  ) {}

  add(data: unknown): void {
    this.waiting.push(data);
    if (this.waiting.length === 1) {
      this.defer(() => this.empty());
    }
  }

  /** The connection is lost. */
  drop(): void {
    this.waiting.length = 0;
  }

  private empty(): void {
    const arrived = this.waiting;
    const newer = new Map<number, number>();
    this.waiting = [];
    for (const data of arrived) {
      const id = subscriptionOf(data);
      if (id !== undefined) {
        newer.set(id, (newer.get(id) ?? 0) + 1);
      }
    }
    for (const data of arrived) {
      const id = subscriptionOf(data);
      if (id !== undefined) {
        const count = newer.get(id)!;
        newer.set(id, count - 1);
        if (count > KEPT && this.canSkip(id)) {
          continue;
        }
      }
      this.deliver(data);
    }
  }
}
