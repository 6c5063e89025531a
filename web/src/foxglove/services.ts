// Services of the server, and calls that wait for their answers.
import { encodeCall, type Service } from "./wire";

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (reason: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

export class Services {
  private readonly byName = new Map<string, Service>();
  private readonly calls = new Map<number, PendingCall>();
  private nextId = 1;

  constructor(private readonly send: (data: ArrayBuffer) => boolean) {}

  has(name: string): boolean {
    return this.byName.has(name);
  }

  advertise(services: Service[]): void {
    for (const service of services) {
      this.byName.set(service.name, service);
    }
  }

  unadvertise(serviceIds: number[]): void {
    for (const [name, service] of this.byName) {
      if (serviceIds.includes(service.id)) {
        this.byName.delete(name);
      }
    }
  }

  call<T>(name: string, request: object, timeoutMs: number): Promise<T> {
    const service = this.byName.get(name);
    if (service === undefined) {
      return Promise.reject(new Error(`the server has no service ${name}`));
    }
    const callId = this.nextId++;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.calls.delete(callId);
        reject(new Error(`${name} did not answer`));
      }, timeoutMs);
      this.calls.set(callId, { resolve: resolve as (value: unknown) => void, reject, timer });
      this.send(encodeCall(service.id, callId, request));
    });
  }

  resolve(callId: number, payload: Uint8Array): void {
    const text = new TextDecoder().decode(payload);
    this.settle(callId)?.resolve(text === "" ? {} : (JSON.parse(text) as unknown));
  }

  reject(callId: number, message: string): void {
    this.settle(callId)?.reject(new Error(message));
  }

  private settle(callId: number): PendingCall | undefined {
    const call = this.calls.get(callId);
    if (call !== undefined) {
      clearTimeout(call.timer);
      this.calls.delete(callId);
    }
    return call;
  }

  /** The connection is lost: all pending calls fail. */
  drop(): void {
    this.byName.clear();
    for (const callId of [...this.calls.keys()]) {
      this.reject(callId, "the connection was lost");
    }
  }
}
