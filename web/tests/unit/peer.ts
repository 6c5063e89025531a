// The server's end of a connection, without a network.
import type { Socket } from "../../src/foxglove/socket";

export class Peer implements Socket {
  binaryType = "";
  readyState = 1;
  onopen = null;
  onclose: ((event: unknown) => void) | null = null;
  onerror = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly sent: (string | ArrayBuffer)[] = [];

  send(data: string | ArrayBuffer): void {
    this.sent.push(data);
  }
  close(): void {
    this.readyState = 3;
    this.onclose?.({});
  }
  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  sayBytes(data: ArrayBuffer): void {
    this.onmessage?.({ data });
  }
  said(op: string): Record<string, unknown>[] {
    return this.sent
      .filter((data): data is string => typeof data === "string")
      .map((data) => JSON.parse(data) as Record<string, unknown>)
      .filter((message) => message["op"] === op);
  }
}

export function response(call: ArrayBuffer, answer: string): ArrayBuffer {
  const request = new DataView(call);
  const text = new TextEncoder().encode(`json${answer}`);
  const bytes = new Uint8Array(13 + text.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 3);
  view.setUint32(1, request.getUint32(1, true), true);
  view.setUint32(5, request.getUint32(5, true), true);
  view.setUint32(9, 4, true);
  bytes.set(text, 13);
  return bytes.buffer;
}
