// One question at a time: while an answer is awaited, a further question is remembered and asked afterwards, once.

export class Latest {
  private running: Promise<void> | undefined;
  private isStale = false;

  /** @param question  asks about the state of that moment, and uses the answer */
  constructor(private readonly question: () => Promise<void>) {}

  get isAsking(): boolean {
    return this.running !== undefined;
  }

  /** Ask, or ask again. @return when the last question is answered */
  ask(): Promise<void> {
    this.isStale = true;
    return this.settled();
  }

  /** When the last question is answered. */
  settled(): Promise<void> {
    if (this.running === undefined && this.isStale) {
      this.running = this.askAll();
    }
    return this.running ?? Promise.resolve();
  }

  private async askAll(): Promise<void> {
    try {
      while (this.isStale) {
        this.isStale = false;
        await this.question();
      }
    } finally {
      this.running = undefined;
    }
  }
}
