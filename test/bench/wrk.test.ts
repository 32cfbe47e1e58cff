import { describe, expect, test } from "bun:test";
import { readFigures } from "../../bench/wrk.ts";

const said = `Running 2s test @ http://127.0.0.1:40000
  1 threads and 64 connections
Requests/sec:  12345.67

figures {"requests":30000,"durationUs":2000000,"p50Us":1500,"p99Us":9250,"refused":2,"broken":1}
`;

describe("what wrk says", () => {
  test("is read in requests per second and milliseconds", () => {
    expect(readFigures(said)).toEqual({
      requests: 30_000,
      requestsPerSecond: 15_000,
      p50Ms: 1.5,
      p99Ms: 9.25,
      faults: 3,
    });
  });

  test("of a load that got no answer counts the whole time as waiting", () => {
    const none = said.replace('"requests":30000', '"requests":0').replace(/("p..Us"):\d+/g, "$1:0");
    expect(readFigures(none)).toMatchObject({ requestsPerSecond: 0, p50Ms: 2_000, p99Ms: 2_000 });
  });

  test("without figures is a failure that shows what it did say", () => {
    const complaint = "unable to connect to 127.0.0.1:40000";
    expect(() => readFigures(complaint)).toThrow(complaint);
  });

  test("with a figure missing is a failure that names it", () => {
    expect(() => readFigures('figures {"requests":1,"durationUs":1}\n')).toThrow("p50Us");
  });
});
