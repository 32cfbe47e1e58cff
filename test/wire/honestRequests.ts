/** Requests to be mutated: of every kind that the connection treats in a way of its own. */
import type { SeededRandom } from "../../testkit/seededRandom.ts";

/** Honest, but for content that is refused, so that nothing is stored however they are spoilt. */
export function honestRequest(
  token: string,
  random: SeededRandom,
  /** Whether some of them are to have responses without a body, which only the request tells. */
  { bodiless = true } = {},
): string {
  const head = `Host: a.example\r\nAuthorization: Bearer ${token}\r\n`;
  const body = '{"name":"Bella","categoryId":"none"}';
  const size = body.length.toString(16);
  const json = `${head}Content-Type: application/json\r\n`;
  const requests = [
    `GET /v1/pets?limit=1 HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/pets?limit=2 HTTP/1.1\r\n${head}If-None-Match: *\r\n\r\n`,
    `GET /v1/pets/1 HTTP/1.1\r\n${head}If-None-Match: "x"\r\nPrefer: handling=strict\r\n\r\n`,
    `OPTIONS /v1/pets HTTP/1.1\r\n${head}Origin: https://b.example\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
    `BREW /v1/pets HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\nabc`,
    `GET /v1/categories HTTP/1.0\r\n${head}Connection: keep-alive\r\n\r\n`,
    `GET /v1/store/orders HTTP/1.1\r\n${head}Accept: application/problem+json\r\nConnection: close\r\n\r\n`,
    `POST /v1/pets HTTP/1.1\r\n${json}Content-Length: ${body.length}\r\n\r\n${body}`,
    `POST /v1/pets HTTP/1.1\r\n${json}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `POST /v1/pets HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n${size};a=b\r\n${body}\r\n0\r\nX-T: 1\r\n\r\n`,
    `POST /v1/pets HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`,
    `POST /v1/store/orders HTTP/1.1\r\n${json}Idempotency-Key: spoilt\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ];
  if (bodiless) requests.push(`HEAD /v1/pets/1 HTTP/1.1\r\n${head}\r\n`);
  return random.oneOf(requests);
}
