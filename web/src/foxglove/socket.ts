// A WebSocket that reconnects until it is stopped.
import { Backoff } from "./backoff";

export type ConnectionState = "connecting" | "open" | "waiting";

/** The part of a WebSocket that is used; tests provide their own. */
export interface Socket {
  binaryType: string;
  readonly readyState: number;
  onopen: ((event: unknown) => void) | null;
  onclose: ((event: unknown) => void) | null;
  onerror: ((event: unknown) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(data: string | ArrayBuffer): void;
  close(): void;
}

export interface SocketOptions {
  open: () => Socket;
  backoff?: Backoff;
  /** A server that sends nothing for this long is gone; it sends the time ten times a second. */
  silenceMs?: number;
}

const OPEN = 1;
const SILENT_TICKS = 8;

export class ReconnectingSocket {
  /** "open" starts with the first message of the protocol, not with the handshake. */
  state: ConnectionState = "connecting";
  onState: (state: ConnectionState) => void = () => undefined;
  onData: (data: unknown) => void = () => undefined;
  /** The connection is lost. Called before the state changes. */
  onDrop: () => void = () => undefined;

  private socket: Socket | undefined;
  private isStopped = false;
  private readonly backoff: Backoff;
  private readonly silenceMs: number;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setInterval> | undefined;
  private silentTicks = 0;

  constructor(private readonly options: SocketOptions) {
    this.backoff = options.backoff ?? new Backoff();
    this.silenceMs = options.silenceMs ?? 4000;
  }

  start(): void {
    this.isStopped = false;
    this.connect();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.retry);
    this.drop();
  }

  /** Reconnect now instead of waiting for the timer. */
  retryNow(): void {
    if (this.state === "waiting" && !this.isStopped) {
      clearTimeout(this.retry);
      this.connect();
    }
  }

  /** The server speaks the protocol. */
  accept(): void {
    this.backoff.reset();
    this.setState("open");
  }

  /** @return false if not connected */
  send(data: string | ArrayBuffer): boolean {
    if (this.socket === undefined || this.socket.readyState !== OPEN) {
      return false;
    }
    this.socket.send(data);
    return true;
  }

  private connect(): void {
    this.setState("connecting");
    const socket = this.options.open();
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    this.silentTicks = 0;
    socket.onmessage = (event) => {
      if (socket === this.socket) {
        this.silentTicks = 0;
        this.onData(event.data);
      }
    };
    socket.onclose = () => {
      if (socket === this.socket) {
        this.drop();
      }
    };
    socket.onerror = () => undefined; // onclose follows
    // Count ticks instead of time: a page that was busy for long has received nothing either, and
    // between two ticks the browser always delivers what has arrived.
    this.watchdog = setInterval(() => {
      this.silentTicks++;
      if (this.silentTicks > SILENT_TICKS) {
        this.drop();
      }
    }, this.silenceMs / SILENT_TICKS);
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = undefined;
    clearInterval(this.watchdog);
    if (socket !== undefined) {
      socket.onmessage = socket.onclose = null;
      socket.close();
    }
    this.onDrop();
    if (!this.isStopped) {
      this.setState("waiting");
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.connect(), this.backoff.next());
    }
  }

  private setState(state: ConnectionState): void {
    if (state !== this.state) {
      this.state = state;
      this.onState(state);
    }
  }
}
