/** Pets: to read any of them, pages and searches from the store, and to add one. */
import { petQuestion, sealCursor } from "../../src/petstore/catalogue/cursor.ts";
import { serviceSecret } from "../contestants/ours.ts";
import { drawSample } from "../sample.ts";
import { newPlace, serve } from "./service.ts";
import type { Subject } from "./subject.ts";

/** As many pages for all, or else the fewer pets would have the warmer caches. */
const depths = 900;

export const pets: Subject = {
  name: "pets",
  sizes: [1_000, 100_000, 10_000_000],
  figures: {
    start: { title: "start to first answer, ms", once: "before" },
    getPet: { title: "getPet of any pet, CPU µs" },
    firstPage: { title: "first page of 20, CPU µs" },
    deepPage: { title: "any page of 20, CPU µs" },
    status: { title: "first page of a status, CPU µs" },
    search: { title: "first page of a word, CPU µs" },
    createPet: { title: "createPet, CPU µs" },
    memory: { title: "memory, MB", once: "after" },
  },
  async start(size, arena) {
    const place = await newPlace(arena, size);
    const service = await serve(place);
    // A request with a preference is never given a cached response.
    const headers = { ...service.headers, Prefer: "handling=strict" };
    const read =
      (...paths: string[]) =>
      (seconds: number) =>
        service.getUs(paths, seconds, { headers, ids: size });
    const question = petQuestion({ status: undefined, ids: undefined });
    const pages = drawSample(size, depths).depths.map(
      (after) => `/v1/pets?limit=20&cursor=${sealCursor(serviceSecret, question, BigInt(after))}`,
    );
    const body = '{"name":"Bench {n}","categoryId":7}';
    const calls = [{ method: "POST", path: "/v1/pets", body }] as const;
    return {
      take: {
        start: async () => service.startMs,
        getPet: read("/v1/pets/{any}"),
        firstPage: read("/v1/pets"),
        deepPage: read(...pages),
        status: read("/v1/pets?status=sold"),
        search: read("/v1/pets?name=bel", "/v1/pets?name=sleepy"),
        createPet: (seconds) => service.cpuUs({ port: service.port, seconds, calls }),
        memory: async () => service.memoryMb(),
      },
      stop: service.stop,
    };
  },
};
