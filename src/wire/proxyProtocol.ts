/**
 * The PROXY protocol, version 2 (haproxy.org, proxy-protocol.txt, section 2.2): a proxy that forwards
 * bytes first sends the address of the client. If a listener expects it, every connection must begin
 * with it, since such a header cannot be distinguished from one that a client forged.
 */
import { isIPv4, type Socket } from "node:net";
import type { Connections, ManagedConnection } from "./connections.ts";
import { plainAddress } from "./trustedProxies.ts";

export interface ProxyHeader {
  /** In bytes, including addresses and extensions. */
  readonly length: number;
  /** `local` is a connection of the proxy's own, such as a health check. */
  readonly command: "local" | "proxy";
  /** The address of the client; undefined if the proxy does not know it. */
  readonly source: string | undefined;
}

const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const fixedBytes = 16;
/** Addresses take 216 at most; the rest are extensions, which are skipped. */
const headerBytesMax = 4_096;
/** The bytes of the addresses of each family: TCP over IPv4 and IPv6, and UNIX streams. */
const addressBytes = new Map([
  [0x00, 0],
  [0x11, 12],
  [0x21, 36],
  [0x31, 216],
]);

/** The header of a connection of our own, to a peer that expects one. */
export const localProxyHeader = Buffer.concat([signature, Buffer.from([0x20, 0, 0, 0])]);

/** The header of a forwarded connection: its source and destination. */
export function proxyHeaderFor(socket: Socket): Buffer {
  const { remotePort = 0, localPort = 0 } = socket;
  const ends = [socket.remoteAddress, socket.localAddress].map((end) => plainAddress(end ?? ""));
  const [from, to] = ends;
  if (from === undefined || to === undefined) return localProxyHeader;
  const family = isIPv4(from) && isIPv4(to) ? 0x11 : 0x21;
  const addresses = [from, to].map((end) => (family === 0x11 ? ipv4Bytes(end) : ipv6Bytes(end)));
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(remotePort, 0);
  ports.writeUInt16BE(localPort, 2);
  const length = addressBytes.get(family) ?? 0;
  return Buffer.concat([signature, Buffer.from([0x21, family, 0, length]), ...addresses, ports]);
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split(".").map(Number));
}

function ipv6Bytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.concat([mappedPrefix, ipv4Bytes(address)]);
  const [head = "", tail] = address.split("::");
  const groupsIn = (text: string) => (text === "" ? [] : text.split(":"));
  const [before, after] = [groupsIn(head), groupsIn(tail ?? "")];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(missing).fill("0"), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** `::ffff:0:0/96`, the prefix of IPv4-mapped addresses. */
const mappedPrefix = Buffer.from("00000000000000000000ffff", "hex");

export function readProxyHeader(bytes: Buffer): ProxyHeader | "incomplete" | "malformed" {
  const known = Math.min(bytes.byteLength, signature.byteLength);
  if (bytes.compare(signature, 0, known, 0, known) !== 0) return "malformed";
  if (bytes.byteLength < fixedBytes) return "incomplete";
  const [version, family] = [bytes.readUInt8(12), bytes.readUInt8(13)];
  const following = bytes.readUInt16BE(14);
  const length = fixedBytes + following;
  const command = version === 0x20 ? "local" : version === 0x21 ? "proxy" : undefined;
  const needed = command === "local" ? 0 : addressBytes.get(family);
  if (command === undefined || needed === undefined) return "malformed";
  if (following < needed || length > headerBytesMax) return "malformed";
  if (bytes.byteLength < length) return "incomplete";
  return { length, command, source: command === "local" ? undefined : sourceIn(bytes, family) };
}

function sourceIn(bytes: Buffer, family: number): string | undefined {
  if (family === 0x11) return bytes.subarray(16, 20).join(".");
  if (family !== 0x21) return undefined;
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(16 + 2 * at).toString(16));
  const { hostname } = new URL(`http://[${groups.join(":")}]`);
  return plainAddress(hostname.slice(1, -1));
}

export type ProxyHeaderFault = "malformed" | "incomplete" | "timeout" | "untrusted";

export interface ProxyProtocol {
  /** A connection was closed because of its header. */
  refused(fault: ProxyHeaderFault, peer: string | undefined): void;
}

/** A connection whose header is not complete yet. */
export class ProxyHeaderReader implements ManagedConnection {
  readonly waiting = true;
  readonly served = false;
  readonly sinceMs: number;
  readonly #socket: Socket;
  readonly #peer: string | undefined;
  readonly #connections: Connections;
  readonly #protocol: ProxyProtocol;
  readonly #accept: (peer: string | undefined) => void;
  #received: Buffer = Buffer.alloc(0);

  /** `accept` is called with the client's address from the header. */
  constructor(
    socket: Socket,
    connections: Connections,
    protocol: ProxyProtocol,
    accept: (peer: string | undefined) => void,
  ) {
    this.#socket = socket;
    this.#peer = plainAddress(socket.remoteAddress ?? "");
    this.#connections = connections;
    this.#protocol = protocol;
    this.#accept = accept;
    this.sinceMs = connections.elapsedMs;
    socket.on("data", this.#receive);
    socket.on("end", this.#ended);
    socket.on("close", this.#closed);
    // `close` follows.
    socket.on("error", () => {});
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#received = Buffer.concat([this.#received, chunk]);
    const header = readProxyHeader(this.#received);
    if (header === "incomplete") return;
    if (header === "malformed") return void this.#refuse(header);
    const trusted = this.#peer !== undefined && this.#connections.proxies.trusts(this.#peer);
    // A header without addresses claims nothing, so its sender need not be trusted.
    if (header.command === "proxy" && !trusted) return void this.#refuse("untrusted");
    this.#detach();
    this.#socket.pause();
    const rest = this.#received.subarray(header.length);
    if (rest.byteLength > 0) this.#socket.unshift(rest);
    this.#accept(header.source ?? this.#peer);
  };

  readonly #ended = (): void => {
    // A load balancer may check that the port is open by connecting only.
    if (this.#received.byteLength > 0) this.#refuse("incomplete");
    else this.destroy();
  };

  readonly #closed = (): void => this.#connections.delete(this);

  #detach(): void {
    this.#socket.off("data", this.#receive);
    this.#socket.off("end", this.#ended);
    this.#socket.off("close", this.#closed);
    this.#connections.delete(this);
  }

  #refuse(fault: ProxyHeaderFault): void {
    // Without an address it was reset before it was accepted, as health checks of HAProxy are.
    if (this.#peer !== undefined) this.#protocol.refused(fault, this.#peer);
    this.destroy();
  }

  finish(): void {
    this.destroy();
  }

  destroy(): void {
    this.#detach();
    this.#socket.destroy();
  }

  checkDeadlines(): void {
    const { elapsedMs, limits } = this.#connections;
    if (elapsedMs - this.sinceMs > limits.headMsMax) this.#refuse("timeout");
  }
}
