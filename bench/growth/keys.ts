/** Keys of clients: to authenticate any of them, and to list them. */
import { systemClock } from "../../src/core/clock.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { each, fill, newPlace, serve } from "./service.ts";
import type { Subject } from "./subject.ts";

/** So that one request after the other meets another key. */
const keysUsedMax = 100_000;

export const keys: Subject = {
  name: "keys",
  sizes: [1_000, 10_000, 100_000],
  figures: {
    any: { title: "getPet with any of the keys, CPU µs" },
    unknown: { title: "a key that is not known, CPU µs" },
    list: { title: "dashboard's list of keys, CPU µs" },
    memory: { title: "memory, MB", once: "after" },
  },
  async start(size, arena) {
    const place = await newPlace(arena);
    const tokens: string[] = [];
    const wanted = { environment: "production", scopes: "all", expiresAtMs: undefined } as const;
    await fill(place, ({ keys }) =>
      each(size, (at) => {
        const { key, token } = mintKey({ ...wanted, name: `client ${at}` }, systemClock);
        tokens.push(token);
        return keys.add(key);
      }),
    );
    const service = await serve(place);
    const calls = tokens.slice(0, keysUsedMax).map((token) => ({
      ...({ method: "GET", path: "/v1/pets/1" } as const),
      headers: { Authorization: `Bearer ${token}` },
    }));
    const stranger = mintKey({ ...wanted, name: "stranger" }, systemClock).token;
    return {
      take: {
        any: (seconds) => service.cpuUs({ port: service.port, seconds, calls, headers: {} }),
        unknown: (seconds) =>
          service.getUs(["/v1/pets/1"], seconds, {
            headers: { Authorization: `Bearer ${stranger}` },
            refused: true,
          }),
        list: (seconds) => service.operatorUs("/internal/v1/keys", seconds),
        memory: async () => service.memoryMb(),
      },
      stop: service.stop,
    };
  },
};
