/** Webhook endpoints: an event that one of them wants, an event that all want, and none at all. */
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import type { EventPattern } from "../../src/petstore/events/events.ts";
import { createEndpoint } from "../../src/petstore/webhooks/webhooks.ts";
import { serviceSecret } from "../contestants/ours.ts";
import { type Receiver, startReceiver } from "../parts/webhooks.ts";
import { each, fill, newPlace, type Service, serve } from "./service.ts";
import type { Subject } from "./subject.ts";

const atOnce = 4;
const petsPerSecond = 200;
/** So that few endpoints get as many as many do. */
const deliveriesMin = 400;
const looksMax = 600;
const lookEveryMs = 100;

export const endpoints: Subject = {
  name: "endpoints",
  sizes: [10, 100, 1_000],
  figures: {
    one: { title: "createPet, delivered to one of them, CPU µs" },
    all: { title: "an event for all, CPU µs per delivery" },
    idle: { title: "without requests, CPU ms per second" },
    memory: { title: "memory, MB", once: "after" },
  },
  async start(size, arena) {
    const place = await newPlace(arena);
    const receiver = await startReceiver(arena);
    const vault = new Vault(serviceSecret, systemClock);
    await fill(place, ({ webhooks }) =>
      each(size, (at) => {
        const types: EventPattern[] = at === 0 ? ["pet.created", "pet.deleted"] : ["pet.deleted"];
        const wanted = { url: `${receiver.url}/${at}`, types, description: `Receiver ${at}` };
        return webhooks.add(createEndpoint(wanted, vault, systemClock).endpoint);
      }),
    );
    const service = await serve(place, { PETSTORE_WEBHOOK_NETWORKS: "127.0.0.0/8" });
    let removed = 0;
    const create = () => call(service, "POST", "/v1/pets");
    const remove = () => call(service, "DELETE", `/v1/pets/${++removed}`);
    const deliver = async (act: () => Promise<void>, times: number, expected: number) => {
      const before = (await receiver.ask("received")).events;
      for (let done = 0; done < times; done += atOnce) await Promise.all(several(atOnce, act));
      await received(receiver, before + expected);
      return expected;
    };
    return {
      take: {
        one: (seconds) =>
          service.cpuUsOf(() => deliver(create, seconds * petsPerSecond, seconds * petsPerSecond)),
        all: () => {
          const count = Math.ceil(deliveriesMin / size / atOnce) * atOnce;
          return service.cpuUsOf(() => deliver(remove, count, count * size));
        },
        idle: (seconds) =>
          service
            .cpuUsOf(() => pause(seconds * 2_000).then(() => seconds * 2))
            .then((us) => us / 1_000),
        memory: async () => service.memoryMb(),
      },
      async stop() {
        await service.stop();
        await receiver.stop();
      },
    };
  },
};

const several = (count: number, act: () => Promise<void>) => Array.from({ length: count }, act);

async function call({ port, headers }: Service, method: string, path: string): Promise<void> {
  const body = method === "POST" ? '{"name":"Bench","categoryId":7}' : undefined;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}.`);
}

async function received(receiver: Receiver, count: number): Promise<void> {
  for (let look = 0; look < looksMax; look++) {
    if ((await receiver.ask("received")).events >= count) return;
    await pause(lookEveryMs);
  }
  throw new Error("Some events are not delivered.");
}
