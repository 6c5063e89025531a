// The frames of the Foxglove WebSocket protocol: JSON in text frames, little-endian data in binary frames.

export interface Channel {
  id: number;
  topic: string;
  encoding: string;
  schemaName: string;
  schema: string;
  schemaEncoding?: string;
}

export interface Service {
  id: number;
  name: string;
  type: string;
}

export interface WireTime {
  sec: number;
  nsec: number;
}

export const timeNsOf = (time: WireTime): bigint =>
  BigInt(time.sec) * 1_000_000_000n + BigInt(time.nsec);

/** How a recording is being played. */
export interface PlaybackState {
  status: "playing" | "paused" | "buffering" | "ended";
  timeNs: bigint;
  speed: number;
}

export interface PlaybackRequest {
  plays: boolean;
  speed: number;
  /** Where to go on from; undefined: from the present time. */
  seekNs?: bigint;
}

/** The text frames of a server that this client handles. */
export type ServerText =
  | {
      op: "serverInfo";
      name: string;
      sessionId?: string;
      capabilities: string[];
      metadata?: Record<string, string>;
      /** Of a recording that is played. */
      dataStartTime?: WireTime;
      dataEndTime?: WireTime;
    }
  | { op: "status"; level: number; message: string }
  | { op: "parameterValues"; id?: string }
  | { op: "advertise"; channels: Channel[] }
  | { op: "unadvertise"; channelIds: number[] }
  | { op: "advertiseServices"; services: Service[] }
  | { op: "unadvertiseServices"; serviceIds: number[] }
  | { op: "serviceCallFailure"; serviceId: number; callId: number; message: string };

export type ServerBinary =
  | { op: "message"; subscriptionId: number; timeNs: bigint; payload: Uint8Array }
  | { op: "time"; timeNs: bigint }
  | { op: "playback"; state: PlaybackState }
  | { op: "response"; serviceId: number; callId: number; encoding: string; payload: Uint8Array };

const MESSAGE = 1;
const TIME = 2;
const RESPONSE = 3;
const PLAYBACK = 5;
const PLAYBACK_STATUS = ["playing", "paused", "buffering", "ended"] as const;
const CLIENT_MESSAGE = 1;
const CLIENT_CALL = 2;
const CLIENT_PLAYBACK = 3;

/** @return undefined for unknown operations and truncated frames */
/** The subscription of a message; undefined: it is something else. */
export function subscriptionOf(data: unknown): number | undefined {
  if (!(data instanceof ArrayBuffer) || data.byteLength < 13) {
    return undefined;
  }
  const view = new DataView(data);
  return view.getUint8(0) === MESSAGE ? view.getUint32(1, true) : undefined;
}

export function decodeBinary(data: ArrayBuffer): ServerBinary | undefined {
  const view = new DataView(data);
  const size = data.byteLength;
  switch (size > 0 ? view.getUint8(0) : 0) {
    case MESSAGE:
      return size < 13
        ? undefined
        : {
            op: "message",
            subscriptionId: view.getUint32(1, true),
            timeNs: view.getBigUint64(5, true),
            payload: new Uint8Array(data, 13),
          };
    case TIME:
      return size < 9 ? undefined : { op: "time", timeNs: view.getBigUint64(1, true) };
    case RESPONSE: {
      const length = size < 13 ? size : view.getUint32(9, true);
      if (13 + length > size) {
        return undefined;
      }
      return {
        op: "response",
        serviceId: view.getUint32(1, true),
        callId: view.getUint32(5, true),
        encoding: new TextDecoder().decode(new Uint8Array(data, 13, length)),
        payload: new Uint8Array(data, 13 + length),
      };
    }
    case PLAYBACK: {
      const status = size < 19 ? undefined : PLAYBACK_STATUS[view.getUint8(1)];
      return status === undefined
        ? undefined
        : {
            op: "playback",
            state: {
              status,
              timeNs: view.getBigUint64(2, true),
              speed: view.getFloat32(10, true),
            },
          };
    }
    default:
      return undefined;
  }
}

export function encodePlayback(request: PlaybackRequest, id: string): ArrayBuffer {
  const name = new TextEncoder().encode(id);
  const data = new ArrayBuffer(19 + name.byteLength);
  const view = new DataView(data);
  view.setUint8(0, CLIENT_PLAYBACK);
  view.setUint8(1, request.plays ? 0 : 1);
  view.setFloat32(2, request.speed, true);
  view.setUint8(6, request.seekNs === undefined ? 0 : 1);
  view.setBigUint64(7, request.seekNs ?? 0n, true);
  view.setUint32(15, name.byteLength, true);
  new Uint8Array(data, 19).set(name);
  return data;
}

export function encodeMessage(channelId: number, payload: Uint8Array): ArrayBuffer {
  const data = new ArrayBuffer(5 + payload.byteLength);
  const view = new DataView(data);
  view.setUint8(0, CLIENT_MESSAGE);
  view.setUint32(1, channelId, true);
  new Uint8Array(data, 5).set(payload);
  return data;
}

export function encodeCall(serviceId: number, callId: number, request: unknown): ArrayBuffer {
  const encoder = new TextEncoder();
  const encoding = encoder.encode("json");
  const payload = encoder.encode(JSON.stringify(request));
  const data = new ArrayBuffer(13 + encoding.byteLength + payload.byteLength);
  const view = new DataView(data);
  view.setUint8(0, CLIENT_CALL);
  view.setUint32(1, serviceId, true);
  view.setUint32(5, callId, true);
  view.setUint32(9, encoding.byteLength, true);
  new Uint8Array(data, 13).set(encoding);
  new Uint8Array(data, 13 + encoding.byteLength).set(payload);
  return data;
}
