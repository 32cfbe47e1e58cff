import { isIP } from "node:net";

/** Whom sign-in attempts are counted by: a client of IPv6 has a whole /64 to itself. */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || isIP(address) !== 6) return address ?? "";
  const [head = "", tail = ""] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const zeros = address.includes("::") ? Math.max(0, 8 - front.length - back.length) : 0;
  const groups = [...front, ...Array<string>(zeros).fill("0"), ...back].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
