/** Follows domains as they change, by server-sent events. */
import { useEffect, useRef } from "preact/hooks";
import type { DomainDetails } from "../../../contract/generated/platform.ts";
import { urlOf } from "../http.ts";

/** Over HTTP/1.1 a browser has six connections to a host, and others need some of them. */
const streamsMax = 3;

export interface Listening {
  readonly hear: (details: DomainDetails) => void;
  /** No more is heard of the host. */
  readonly end: (host: string) => void;
}

/** Hears of the first few of these hosts whenever one changes. The others must be asked for. */
export function useEventStreams(
  slug: string,
  hosts: readonly string[],
  listening: Listening,
): void {
  const open = useRef(new Map<string, EventSource>());
  const current = useRef(listening);
  current.current = listening;
  const wanted = hosts.slice(0, streamsMax);

  const close = (host: string) => {
    open.current.get(host)?.close();
    open.current.delete(host);
    current.current.end(host);
  };
  const follow = (host: string) => {
    const path = { project: slug, host };
    const stream = new EventSource(urlOf("/projects/{project}/domains/{host}/events", { path }));
    stream.addEventListener("domain", ({ data }) => current.current.hear(JSON.parse(data)));
    // One that was refused for good is not opened again by the browser; the list is asked anyway.
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) close(host);
    });
    open.current.set(host, stream);
  };

  useEffect(() => {
    for (const host of open.current.keys()) if (!wanted.includes(host)) close(host);
    for (const host of wanted) if (!open.current.has(host)) follow(host);
  }, [slug, wanted.join(" ")]);
  useEffect(
    () => () => {
      for (const stream of open.current.values()) stream.close();
      open.current.clear();
    },
    [],
  );
}
