/** The events of the reference, as a list and as a stream. */
import type { Plain } from "./reading.ts";
import type { Query } from "./referenceLists.ts";

interface Event {
  readonly id: bigint;
  readonly type: string;
  readonly resource: string;
  readonly data: string;
}

export function referenceEvents(has: (inside: string) => boolean) {
  const all: Event[] = [];
  const readers = new Set<(event: Event) => void>();

  function record(type: string, resource: string, data: string): void {
    if (has(`no ${type}`)) return;
    const id = BigInt(all.length + 1);
    const event = { id, type, resource, data };
    if (has("lists the newest first")) all.unshift(event);
    else all.push(event);
    for (const read of readers) read(event);
  }

  const text = ({ id, type, resource, data }: Event) =>
    `{"id":${id},"type":"${type}","timestamp":"2026-11-15T12:00:00Z","resource":"${resource}","data":${data}}`;

  function stream({ matches }: Query, lastEventId: string | null): Plain {
    const after = has("streams everything") ? 0n : BigInt(lastEventId ?? all.length);
    return {
      ...{ status: 200, body: "", headers: { "content-type": "text/event-stream" } },
      follow(send) {
        const read = (event: Event) => {
          const type = has("streams messages") ? "message" : event.type;
          if (event.id <= after || !matches(event)) return;
          send(`id: ${event.id}\nevent: ${type}\ndata: ${text(event)}\n\n`);
        };
        send(": welcome\n\n");
        for (const event of all) read(event);
        readers.add(read);
        return () => readers.delete(read);
      },
    };
  }

  return { all, text, record, stream };
}
