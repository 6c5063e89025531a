/** How long to wait before the next try: twice as long each time, up to a limit, never all at once. */
export class Backoff {
  private tries = 0;

  constructor(
    private readonly firstMs = 250,
    private readonly longestMs = 5000,
    private readonly random: () => number = Math.random,
  ) {}

  next(): number {
    const whole = Math.min(this.longestMs, this.firstMs * 2 ** this.tries);
    this.tries++;
    return whole * (0.75 + 0.25 * this.random());
  }

  reset(): void {
    this.tries = 0;
  }
}
