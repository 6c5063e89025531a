// Parameters of the server that are being set, and the answers to them. A refusal arrives as a status that begins with
// the name, before the answer.

interface Pending {
  name: string;
  failure: string;
  done: (failure: string) => void;
  timer: ReturnType<typeof setTimeout>;
}

const TIMEOUT_MS = 10000;

export class Parameters {
  private readonly pending = new Map<string, Pending>();
  private nextId = 1;

  constructor(private readonly send: (message: object) => boolean) {}

  /** @return why it was refused, or "" */
  set(name: string, value: unknown): Promise<string> {
    const id = `set${this.nextId++}`;
    return new Promise((done) => {
      const timer = setTimeout(() => this.end(id, `${name} was not answered`), TIMEOUT_MS);
      this.pending.set(id, { name, failure: "", done, timer });
      if (!this.send({ op: "setParameters", id, parameters: [{ name, value }] })) {
        this.end(id, "not connected");
      }
    });
  }

  /** @return whether a status is the refusal of a parameter */
  refuse(message: string): boolean {
    const found = [...this.pending.values()].find(({ name }) => message.startsWith(`${name}: `));
    if (found !== undefined) {
      found.failure = message.slice(found.name.length + 2);
    }
    return found !== undefined;
  }

  /** The server has answered. */
  answer(id: string): void {
    this.end(id, this.pending.get(id)?.failure ?? "");
  }

  private end(id: string, failure: string): void {
    const entry = this.pending.get(id);
    if (entry !== undefined) {
      clearTimeout(entry.timer);
      this.pending.delete(id);
      entry.done(failure);
    }
  }

  /** The connection is lost. */
  drop(): void {
    for (const id of [...this.pending.keys()]) {
      this.end(id, "the connection was lost");
    }
  }
}
