/** Each way to misbehave is what it says. These need nothing installed. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Answer, decode, encode } from "dns-packet";
import { eventually } from "../../../../testkit/eventually.ts";
import { freePort } from "../../../../testkit/freePorts.ts";
import { ask, type Reply } from "../../../../testkit/testBed/ask.ts";
import { type SilentServer, startSilentServer } from "../../../../testkit/testBed/silentServer.ts";
import { rejectionOf } from "../../../store/rejection.ts";

const address = "127.0.0.1";
const name = "www.odd.test";
const records: Answer[] = [
  { name, type: "CNAME", ttl: 60, data: "sites.platform.test" },
  { name, type: "A", ttl: 60, data: "192.0.2.1" },
];

let server: SilentServer;
beforeEach(async () => {
  server = await startSilentServer({ address, port: await freePort(), mode: "answer", records });
});
afterEach(() => server.stop());

const askIt = (tcp: boolean, signal?: AbortSignal) =>
  ask({ address, port: server.port, name, type: "A", tcp, ...(signal && { signal }) });

/** Asks, and gives up once the question was heard. */
async function askInVain(tcp: boolean): Promise<Error> {
  const givingUp = new AbortController();
  const rejection = rejectionOf(askIt(tcp, givingUp.signal));
  const over = tcp ? "tcp" : "udp";
  await eventually(() => server.heard.some(({ transport }) => transport === over));
  givingUp.abort();
  return rejection;
}

describe("a server that misbehaves", () => {
  for (const tcp of [false, true]) {
    const over = tcp ? "over TCP" : "over UDP";

    test(`may have an A record beside a CNAME, ${over}`, async () => {
      const { answers, flag_aa } = await askIt(tcp);
      expect(answers).toMatchObject([{ type: "CNAME" }, { type: "A", data: "192.0.2.1" }]);
      expect(flag_aa).toBe(true);
    });

    test(`hears and says nothing, ${over}`, async () => {
      server.mode = "silent";
      expect((await askInVain(tcp)).name).toBe("AbortError");
      expect(server.heard).toEqual([{ name, type: "A", transport: tcp ? "tcp" : "udp" }]);
    });

    test(`fails and refuses, ${over}`, async () => {
      server.mode = "servfail";
      expect((await askIt(tcp)).rcode).toBe("SERVFAIL");
      server.mode = "refused";
      expect((await askIt(tcp)).rcode).toBe("REFUSED");
    });

    test(`answers with bytes that are no message, ${over}`, async () => {
      server.mode = "garbage";
      expect((await rejectionOf(askIt(tcp))).message).toMatch(/Cannot decode/);
    });
  }

  test("says over UDP that it does not fit, and tells all over TCP", async () => {
    server.mode = "truncated";
    const short = await askIt(false);
    expect([short.flag_tc, short.answers]).toEqual([true, []]);
    const whole = await askIt(true);
    expect([whole.flag_tc, whole.answers?.length]).toEqual([false, 2]);
  });

  test("may be deaf over TCP alone", async () => {
    server.mode = "truncated";
    server.tcpMode = "silent";
    expect((await askIt(false)).flag_tc).toBe(true);
    expect((await askInVain(true)).name).toBe("AbortError");
  });

  test("is preceded by three forgeries, and then answers", async () => {
    server.mode = "spoofed";
    const heard = await fourAnswers(4242);
    const own = heard.filter(({ port }) => port === server.port);
    const elsewhere = heard.filter(({ port }) => port !== server.port);
    expect(elsewhere).toMatchObject([{ id: 4242, question: name, rcode: "NXDOMAIN" }]);
    expect(own).toMatchObject([
      { id: 4243, question: name, rcode: "NXDOMAIN" },
      { id: 4242, question: "forged.test", rcode: "NXDOMAIN" },
      { id: 4242, question: name, rcode: "NOERROR" },
    ]);
  });
});

async function fourAnswers(id: number) {
  const socket = createSocket("udp4");
  const heard: { id: number; port: number; question: string; rcode: string }[] = [];
  try {
    const complete = new Promise<void>((resolve) => {
      socket.on("message", (bytes, { port }) => {
        const { id = 0, questions = [], rcode } = decode(bytes) as Reply;
        heard.push({ id, port, question: questions[0]?.name ?? "", rcode });
        if (heard.length === 4) resolve();
      });
    });
    const bound = once(socket, "listening");
    socket.bind({ address, port: 0 });
    await bound;
    socket.send(
      encode({ type: "query", id, questions: [{ name, type: "A" }] }),
      server.port,
      address,
    );
    await complete;
  } finally {
    socket.close();
  }
  return heard;
}
