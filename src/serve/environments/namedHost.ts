/** The host that a connection is for, by the first bytes that its client sends. */
import { hostOf } from "../../wire/requestHead.ts";

export type HostReading =
  | { readonly kind: "named"; readonly host: string }
  | { readonly kind: "incomplete" }
  /** There is none, or these are no such bytes. */
  | { readonly kind: "none" };

const none: HostReading = { kind: "none" };
const incomplete: HostReading = { kind: "incomplete" };
const named = (text: string): HostReading => {
  const host = hostOf(text);
  return host === undefined ? none : { kind: "named", host };
};

/** By the Host header of the first request. */
export function hostInHttp(bytes: Buffer): HostReading {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  const head = end < 0 ? text.slice(0, text.lastIndexOf("\r\n") + 2) : text.slice(0, end + 2);
  const [, host] = /\r\nhost:[ \t]*([^\r\n]*?)[ \t]*\r\n/i.exec(head) ?? [];
  if (host !== undefined) return named(host);
  return end < 0 ? incomplete : none;
}

const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;
const hostNameType = 0;

/** By the server name of the ClientHello (RFC 8446, section 4.1.2; RFC 6066, section 3). */
export function hostInTls(bytes: Buffer): HostReading {
  try {
    return readClientHello(handshakeIn(bytes));
  } catch (cause) {
    if (cause === tooShort) return incomplete;
    // Lengths that lead past the end of what holds them.
    if (cause instanceof RangeError) return none;
    throw cause;
  }
}

const tooShort = new Error("More has to come.");

/** The handshake message, which may be spread over several records. */
function handshakeIn(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let gathered = 0;
  for (let at = 0; ; ) {
    if (bytes.byteLength < at + 5) throw tooShort;
    if (bytes.readUInt8(at) !== handshakeRecord) throw new RangeError("another record");
    const length = bytes.readUInt16BE(at + 3);
    if (bytes.byteLength < at + 5 + length) throw tooShort;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    gathered += length;
    at += 5 + length;
    const message = Buffer.concat(parts);
    if (gathered >= 4 && gathered >= 4 + message.readUIntBE(1, 3)) return message;
  }
}

function readClientHello(message: Buffer): HostReading {
  if (message.readUInt8(0) !== clientHello) return none;
  // Past the version and the random bytes.
  let at = 4 + 2 + 32;
  at += 1 + message.readUInt8(at);
  at += 2 + message.readUInt16BE(at);
  at += 1 + message.readUInt8(at);
  if (at >= message.byteLength) return none;
  const end = at + 2 + message.readUInt16BE(at);
  for (at += 2; at < end; ) {
    const type = message.readUInt16BE(at);
    const length = message.readUInt16BE(at + 2);
    if (type === serverNameExtension)
      return serverNameIn(message.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return none;
}

function serverNameIn(list: Buffer): HostReading {
  const length = list.readUInt16BE(3);
  if (list.readUInt8(2) !== hostNameType || list.byteLength < 5 + length) return none;
  return named(list.toString("latin1", 5, 5 + length));
}
