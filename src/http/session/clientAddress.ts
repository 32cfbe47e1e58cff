import { BlockList, isIP } from "node:net";
import type { HttpRequest } from "../../wire/message.ts";

/** Where a proxy of ours would be, whose word on the client's address counts. */
const nearby = new BlockList();
for (const [net, bits] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  nearby.addSubnet(net, bits, "ipv4");
}
nearby.addAddress("::1", "ipv6");
nearby.addSubnet("fc00::", 7, "ipv6");

/**
 * Whom tries are counted by. The last in X-Forwarded-For is what the nearest proxy saw; what stands
 * before it may be anybody's invention. An IPv6 client has a whole /64 to itself.
 */
export function clientOf(request: Pick<HttpRequest, "peer" | "header">): string {
  const from = bare(request.peer ?? "");
  if (isIP(from) !== 0 && !nearby.check(from, isIP(from) === 6 ? "ipv6" : "ipv4")) return net(from);
  const forwarded = bare((request.header("x-forwarded-for") ?? "").split(",").at(-1)?.trim() ?? "");
  return net(isIP(forwarded) === 0 ? from : forwarded);
}

/** `::ffff:192.0.2.1` is an IPv4 client on a socket for both. */
const bare = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

function net(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail = ""] = address.toLowerCase().split("%", 1)[0]?.split("::") ?? [];
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const zeros = address.includes("::") ? Math.max(0, 8 - front.length - back.length) : 0;
  const groups = [...front, ...Array<string>(zeros).fill("0"), ...back].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
