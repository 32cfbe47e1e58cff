import { mutateBytes, piecesOf } from "../../testkit/mutateBytes.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { transcriptOf } from "../hostile/answers.ts";
import { converse } from "../hostile/conversation.ts";
import { recipes } from "../hostile/corpus.ts";
import { inEpisodes } from "../hostile/episodes.ts";
import { isDeclared, judgeCase } from "../hostile/judgeCase.ts";
import { besideOrdinaryLoad } from "../hostile/ordinary.ts";
import type { Scenario } from "../scenario.ts";
import type { Tally } from "../tally.ts";

/** Connections at a time. */
const attackers = 8;
/** What is mutated may wait for bytes that never come. */
const mutatedWaitMs = 60;

/** Honest, and refused for their content, so that nothing of them is stored however they are spoilt. */
function honestRequest(token: string, random: SeededRandom): Buffer {
  const head = `Host: outer\r\nAuthorization: Bearer ${token}\r\n`;
  const body = '{"name":"outer","categoryId":"none"}';
  const json = `${head}Content-Type: application/json\r\n`;
  const text = random.oneOf([
    `GET /v1/pets?limit=1 HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/pets/1 HTTP/1.1\r\n${head}If-None-Match: "x"\r\nPrefer: handling=strict\r\n\r\n`,
    `POST /v1/pets HTTP/1.1\r\n${json}Content-Length: ${body.length}\r\n\r\n${body}`,
    `POST /v1/pets HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    `POST /v1/store/orders HTTP/1.1\r\n${json}Idempotency-Key: spoilt\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `GET /docs/ HTTP/1.1\r\n${head}Accept-Encoding: gzip\r\n\r\n`,
    `GET /dashboard/ HTTP/1.1\r\n${head}Range: bytes=0-5\r\n\r\n`,
    `GET /internal/v1/session HTTP/1.1\r\n${head}Cookie: session=none\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\n${head}\r\n`,
    `GET /readyz HTTP/1.1\r\n${head}\r\n`,
  ]);
  return Buffer.from(text, "latin1");
}

async function judgeMutated(port: number, token: string, random: SeededRandom, tally: Tally) {
  const bytes = mutateBytes(honestRequest(token, random), random);
  const heard = await converse({
    port,
    pieces: piecesOf(bytes, random),
    patienceMs: mutatedWaitMs,
    enough: (soFar) => transcriptOf(soFar, { closed: false }).answers.length > 0,
  });
  const { answers, fault } = transcriptOf(heard.bytes, { closed: true });
  const failed = answers.find(({ status }) => status >= 500 && status !== 501 && status !== 505);
  // What is behind the dashboard has errors of its own.
  const ofContract = !bytes.includes("/internal");
  const undeclared = answers.find((answer) => ofContract && !isDeclared(answer));
  const wrong = failed ?? undeclared;
  tally.judge(fault === undefined && wrong === undefined, () => {
    const sent = JSON.stringify(bytes.toString("latin1")).replaceAll(token, "…");
    return `${fault ?? `answered ${wrong?.status}: ${wrong?.body}`} to ${sent}`;
  });
}

export const hostileHttp: Scenario = {
  name: "hostileHttp",
  about: "smuggling, floods, malformed framing and garbage, beside honest clients",
  run: inEpisodes((context) =>
    besideOrdinaryLoad(context, { clients: 4 }, async ({ victim, until }) => {
      const { random, tally } = context;
      const port = Number(new URL(victim.origin).port);
      let count = 0;
      const attack = async () => {
        // Each recipe at least once, however short the time.
        while (count < recipes.length || until()) {
          const number = count++;
          const own = random.fork(`case ${number}`);
          const recipe = recipes[number % recipes.length];
          if (recipe === undefined || (number >= recipes.length && own.happens(0.7))) {
            await judgeMutated(port, victim.token, own, tally);
            tally.fault("mutated bytes");
            continue;
          }
          const mark = `smuggled-${number}-${own.between(0, 1e9)}`;
          const hostile = recipe({ token: victim.token, mark });
          await judgeCase(port, hostile, mark, piecesOf(hostile.bytes, own), tally);
          tally.fault("hostile requests");
        }
      };
      await Promise.all(Array.from({ length: attackers }, attack));
    }),
  ),
};
