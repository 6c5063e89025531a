/** Delay before the next attempt: doubles up to a limit, with jitter so that clients do not retry at once. */
export class Backoff {
  private tries = 0;

  constructor(
    private readonly firstMs = 250,
    private readonly longestMs = 5000,
    private readonly random: () => number = Math.random,
  ) {}

  next(): number {
    const full = Math.min(this.longestMs, this.firstMs * 2 ** this.tries);
    this.tries++;
    return full * (0.75 + 0.25 * this.random());
  }

  reset(): void {
    this.tries = 0;
  }
}
