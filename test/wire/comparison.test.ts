/** The same framing put to our listener, to nginx and to `node:http`, and every difference explained. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { type Difference, type FramingCase, framingCases } from "./framingCases.ts";
import { type Peer, readingOf, startNginx, startNode, startOurs } from "./peers.ts";

const nginx = Bun.which("nginx") ?? Bun.which("/usr/sbin/nginx");
const node = Bun.which("node");

function describeReadings(
  name: string,
  missing: string | undefined,
  start: () => Promise<Peer>,
  differenceIn: (framing: FramingCase) => Difference | undefined,
): void {
  describeUnless(missing, name, () => {
    let peer: Peer;
    beforeAll(async () => {
      peer = await start();
    });
    afterAll(() => peer?.stop());

    for (const framing of framingCases) {
      const { what, section, bytes, ours } = framing;
      const difference = differenceIn(framing);
      const alike = difference === undefined ? "" : ", unlike ours";
      test(`reads ${what} (${section})${alike}`, async () => {
        expect(await readingOf(peer, bytes)).toBe(difference?.reading ?? ours);
      });
    }
  });
}

describeReadings("our listener", undefined, startOurs, () => undefined);
describeReadings(
  "nginx",
  nginx === null ? "not installed: nginx" : undefined,
  () => startNginx(nginx ?? ""),
  (framing) => framing.nginx,
);
describeReadings(
  "node:http",
  node === null ? "not installed: node" : undefined,
  () => startNode(node ?? ""),
  (framing) => framing.node,
);

describe("the table", () => {
  test("has each case once, and calls nothing a difference that is none", () => {
    expect(new Set(framingCases.map(({ what }) => what)).size).toBe(framingCases.length);
    for (const { ours, nginx, node } of framingCases) {
      expect(nginx?.reading).not.toBe(ours);
      expect(node?.reading).not.toBe(ours);
    }
  });
});
