/** Headers of the PROXY protocol, version 2, as a proxy would send them. */
const signature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");

export function proxyHeader(
  version: number,
  family: number,
  following: Uint8Array,
  length = following.byteLength,
): Buffer {
  const fixed = Buffer.from([version, family, length >> 8, length & 0xff]);
  return Buffer.concat([signature, fixed, following]);
}

/** From 203.0.113.9 port 4711 to 192.0.2.1 port 443, over TCP. */
export const addresses4 = Buffer.from("cb007109c00002011267 01bb".replace(" ", ""), "hex");
/** From 2001:db8::9 to 2001:db8::1, with the same ports. */
export const addresses6 = Buffer.from(
  `${"20010db8000000000000000000000009"}${"20010db8000000000000000000000001"}126701bb`,
  "hex",
);
export const fromIpv4 = proxyHeader(0x21, 0x11, addresses4);
