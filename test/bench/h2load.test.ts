import { describe, expect, test } from "bun:test";
import { readH2load } from "../../bench/h2load.ts";

const reported = `starting benchmark...
progress: 93% of clients started
TLS Protocol: TLSv1.3
Cipher: TLS_AES_128_GCM_SHA256
Server Temp Key: X25519 253 bits
Application protocol: h2

finished in 2.06s, 3288.25 req/s, 16.08MB/s
requests: 6576 total, 6640 started, 6576 done, 6570 succeeded, 6 failed, 2 errored, 0 timeout
status codes: 6570 2xx, 0 3xx, 6 4xx, 0 5xx
traffic: 32.16MB (33721728) total, 867.86KB (888690) headers (space savings 38.55%), 38.52MB (40395000) data
`;

describe("the report of h2load", () => {
  test("is read in requests per second, with what was refused or broken off", () => {
    expect(readH2load(reported)).toEqual({
      requests: 6_576,
      requestsPerSecond: 3_288.25,
      faults: 8,
    });
  });

  test("on another protocol than HTTP/2 is a failure", () => {
    const http1 = reported.replace("protocol: h2", "protocol: http/1.1");
    expect(() => readH2load(http1)).toThrow("spoke http/1.1");
  });

  test("of a server that was not reached is a failure that shows it", () => {
    const none = reported.replace(/^Application.*\n/m, "");
    expect(() => readH2load(none)).toThrow("6576 total");
  });

  for (const line of ["finished", "requests", "status codes"]) {
    test(`without its line ${line} is a failure`, () => {
      const without = reported.replace(new RegExp(`^${line}.*\n`, "m"), "");
      expect(() => readH2load(without)).toThrow("h2load reported no");
    });
  }
});
