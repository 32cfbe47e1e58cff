import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import type { HttpRequest } from "../../src/wire/message.ts";
import { localProxyHeader, proxyHeaderFor, readProxyHeader } from "../../src/wire/proxyProtocol.ts";
import { networkIn, TrustedProxies } from "../../src/wire/trustedProxies.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { addresses4, addresses6, fromIpv4, proxyHeader } from "./proxyHeaders.ts";
import { get, server, start, useWireServer } from "./wireServer.ts";

useWireServer();

const refused: string[] = [];
afterEach(() => void refused.splice(0));
const proxyProtocol = {
  refused: (fault: string, peer: string | undefined) => void refused.push(`${fault} ${peer}`),
};
const whoAsks = ({ client, path }: HttpRequest) => ({
  status: 200,
  headers: {},
  body: `${path} ${client}`,
});

const begin = (networks = ["127.0.0.1"], clock?: Parameters<typeof start>[2]) =>
  start(whoAsks, {}, clock, {
    proxies: new TrustedProxies(networks.map((text) => networkIn(text) as never)),
    proxyProtocol,
  });

const mapped = Buffer.concat([
  Buffer.from("00000000000000000000ffffcb007109", "hex"),
  addresses6.subarray(16),
]);
const extensions = Buffer.from("030004a1b2c3d4200003000000", "hex");

describe("a connection with a header of the PROXY protocol", () => {
  test.each([
    ["of IPv4 is from its source", fromIpv4, "203.0.113.9"],
    ["of IPv6 is from its source", proxyHeader(0x21, 0x21, addresses6), "2001:db8::9"],
    ["of a mapped address is from one of IPv4", proxyHeader(0x21, 0x21, mapped), "203.0.113.9"],
    [
      "has extensions that are skipped",
      proxyHeader(0x21, 0x11, Buffer.concat([addresses4, extensions])),
      "203.0.113.9",
    ],
    ["of the longest is read", proxyHeader(0x21, 0x11, longTo(4_080)), "203.0.113.9"],
    ["of a UNIX socket is the proxy's", proxyHeader(0x21, 0x31, Buffer.alloc(216)), "127.0.0.1"],
    ["of an unknown family is the proxy's", proxyHeader(0x21, 0x00, Buffer.alloc(3)), "127.0.0.1"],
    ["of its own is the proxy's", localProxyHeader, "127.0.0.1"],
    ["of its own says nothing of others", proxyHeader(0x20, 0x11, addresses4), "127.0.0.1"],
  ])("%s", async (_what, header, client) => {
    const connect = await begin();
    const whole = await connect();
    whole.send(Buffer.concat([header, Buffer.from(`${get("/1")}${get("/2")}`)]));
    expect([(await whole.response()).body, (await whole.response()).body]).toEqual([
      `/1 ${client}`,
      `/2 ${client}`,
    ]);
    const later = await connect();
    later.send(header);
    later.send(get("/1"));
    expect((await later.response()).body).toBe(`/1 ${client}`);
    expect(refused).toEqual([]);
  });

  test("is not a proxy by what the header says: its client's own headers do not count", async () => {
    const client = await (await begin())();
    client.send(fromIpv4);
    client.send("GET / HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n");
    expect((await client.response()).body).toBe("/ 203.0.113.9");
  });

  test.each([
    ["no header at all", Buffer.from(get("/")), "malformed"],
    ["version 1", Buffer.from("PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n"), "malformed"],
    ["another version", proxyHeader(0x31, 0x11, addresses4), "malformed"],
    ["an unknown command", proxyHeader(0x22, 0x11, addresses4), "malformed"],
    ["datagrams", proxyHeader(0x21, 0x12, addresses4), "malformed"],
    ["an unknown family", proxyHeader(0x21, 0x41, addresses4), "malformed"],
    ["too short addresses", proxyHeader(0x21, 0x11, addresses4.subarray(1)), "malformed"],
    ["IPv4 addresses as IPv6", proxyHeader(0x21, 0x21, addresses4), "malformed"],
    ["more than the longest", proxyHeader(0x21, 0x11, longTo(4_081)), "malformed"],
    ["the announcement of 64 KiB", proxyHeader(0x20, 0, Buffer.alloc(0), 65_535), "malformed"],
  ])("is closed and logged for %s", async (_what, bytes, fault) => {
    const client = await (await begin())();
    client.send(bytes);
    await client.closed();
    expect([client.received, ...refused]).toEqual(["", `${fault} 127.0.0.1`]);
  });

  test("is closed and logged where it is not a trusted proxy's", async () => {
    const connect = await begin(["192.0.2.0/24"]);
    const client = await connect();
    client.send(fromIpv4);
    client.send(get("/"));
    await client.closed();
    expect([client.received, ...refused]).toEqual(["", "untrusted 127.0.0.1"]);
    // Whoever speaks only of themselves need not be trusted.
    const own = await connect();
    own.send(localProxyHeader);
    own.send(get("/"));
    expect((await own.response()).body).toBe("/ 127.0.0.1");
  });

  test("is closed and logged when the header does not come in time or breaks off", async () => {
    const clock = fakeClock(0);
    const connect = await begin(undefined, clock);
    const half = await connect();
    half.send(fromIpv4.subarray(0, 20));
    const broken = await connect();
    broken.send(fromIpv4.subarray(0, 20));
    broken.socket.end();
    await broken.closed();
    expect(refused).toEqual(["incomplete 127.0.0.1"]);
    clock.advance(11_000);
    await half.closed();
    expect(refused.at(-1)).toBe("timeout 127.0.0.1");
    const silent = await connect();
    silent.socket.end();
    await silent.closed();
    expect(refused).toHaveLength(2);
  });
});

test("a header may arrive in pieces of any size", () => {
  const header = proxyHeader(0x21, 0x21, Buffer.concat([addresses6, extensions]));
  for (let length = 0; length < header.byteLength; length++) {
    expect(readProxyHeader(header.subarray(0, length))).toBe("incomplete");
  }
  const read = { length: header.byteLength, command: "proxy", source: "2001:db8::9" } as const;
  expect(readProxyHeader(header)).toEqual(read);
  expect(readProxyHeader(Buffer.concat([header, header]))).toEqual(read);
});

test("a wrong byte is refused as soon as it is there", () => {
  for (let at = 0; at < 12; at++) {
    const wrong = Buffer.from(fromIpv4.subarray(0, at + 1));
    wrong[at] = 0x47;
    expect(readProxyHeader(wrong)).toBe("malformed");
  }
});

test("a stopping listener does not wait for headers", async () => {
  const connect = await begin();
  const client = await connect();
  client.send(fromIpv4.subarray(0, 5));
  expect(await server.listener?.stop(60_000)).toBe(0);
  await eventually(() => client.ended);
});

function longTo(length: number): Buffer {
  return Buffer.concat([addresses4, Buffer.alloc(length - addresses4.byteLength)]);
}

test("the header of a connection that is passed on names its client", () => {
  for (const [remoteAddress, localAddress, source] of [
    ["192.0.2.7", "198.51.100.1", "192.0.2.7"],
    ["::ffff:192.0.2.7", "::ffff:198.51.100.1", "192.0.2.7"],
    ["2001:db8::7:8", "2001:db8::1", "2001:db8::7:8"],
    ["2001:db8:1:2:3:4:5:6", "::1", "2001:db8:1:2:3:4:5:6"],
    ["192.0.2.7", "2001:db8::1", "192.0.2.7"],
  ] as const) {
    const ends = { remoteAddress, localAddress, remotePort: 40_000, localPort: 443 };
    const header = proxyHeaderFor(ends as Socket);
    const { byteLength: length } = header;
    expect(readProxyHeader(header)).toEqual({ length, command: "proxy", source });
  }
  // It was reset before it was looked at.
  expect(proxyHeaderFor({} as Socket)).toEqual(localProxyHeader);
});
