/** Which domains are open on the screen, and the events of those that are. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Domain, DomainDetails } from "../../../contract/generated/platform.ts";
import { urlOf } from "../http.ts";
import { isSettled } from "./status.ts";

export interface OpenDomains {
  readonly isOpen: (domain: Domain) => boolean;
  readonly setOpen: (host: string, open: boolean) => void;
  /** From its event stream; undefined if none is open. */
  readonly detailsOf: (host: string) => DomainDetails | undefined;
}

export function useOpenDomains(
  slug: string,
  all: readonly Domain[],
  replace: (domain: Domain) => void,
): OpenDomains {
  const [details, setDetails] = useState<ReadonlyMap<string, DomainDetails>>(new Map());
  /** What the user opened or closed, the latest last. */
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  /** The others are open if they were unsettled, and stay open when they settle. */
  const watched = useRef(new Set<string>());
  const awaited = all.filter((each) => !isSettled(each)).map(({ host }) => host);
  for (const host of awaited) watched.current.add(host);

  const lately = [...opened].flatMap(([host, open]) => (open ? [host] : [])).reverse();
  const attached = new Set(all.map(({ host }) => host));
  const inOrder = new Set([...lately, ...awaited, ...watched.current]);
  useEventStreams(
    slug,
    [...inOrder].filter((host) => attached.has(host)),
    {
      onDetails(seen) {
        setDetails((before) => new Map(before).set(seen.host, seen));
        const { timeline: _timeline, budget: _budget, ...domain } = seen;
        replace(domain);
      },
      onEnd(host) {
        setDetails((before) => new Map([...before].filter(([each]) => each !== host)));
      },
    },
  );

  return {
    isOpen: ({ host }) => opened.get(host) ?? watched.current.has(host),
    setOpen(host, open) {
      setOpened((before) => new Map([...before].filter(([each]) => each !== host)).set(host, open));
    },
    detailsOf: (host) => details.get(host),
  };
}

/** Over HTTP/1.1 a browser opens six connections to a host, and other requests need some. */
const streamsMax = 3;

export interface StreamHandlers {
  readonly onDetails: (details: DomainDetails) => void;
  /** The stream of the host has ended. */
  readonly onEnd: (host: string) => void;
}

/** Follows the first few of these hosts by server-sent events. The others must be polled. */
export function useEventStreams(
  slug: string,
  hosts: readonly string[],
  handlers: StreamHandlers,
): void {
  const open = useRef(new Map<string, EventSource>());
  const current = useRef(handlers);
  current.current = handlers;
  const wanted = hosts.slice(0, streamsMax);

  const close = (host: string) => {
    open.current.get(host)?.close();
    open.current.delete(host);
    current.current.onEnd(host);
  };
  const follow = (host: string) => {
    const path = { project: slug, host };
    const stream = new EventSource(urlOf("/projects/{project}/domains/{host}/events", { path }));
    stream.addEventListener("domain", ({ data }) => current.current.onDetails(JSON.parse(data)));
    // A browser does not reopen a stream that was refused; the list is polled anyway.
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
