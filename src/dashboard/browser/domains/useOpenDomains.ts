/** Which domains are open on the screen, and the events of those that are. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Domain, DomainDetails } from "../../../contract/generated/platform.ts";
import { urlOf } from "../../../contract/platformCalls.ts";
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
  const followed = [...inOrder].filter((host) => attached.has(host)).slice(0, streamsMax);
  useEventStreams(slug, followed, (host, seen) => {
    setDetails((before) => {
      const others = [...before].filter(([each]) => each !== host);
      return new Map(seen === undefined ? others : [...others, [host, seen]]);
    });
    if (seen === undefined) return;
    const { timeline: _timeline, budget: _budget, ...domain } = seen;
    replace(domain);
  });

  return {
    isOpen: ({ host }) => opened.get(host) ?? watched.current.has(host),
    setOpen(host, open) {
      setOpened((before) => new Map([...before].filter(([each]) => each !== host)).set(host, open));
    },
    detailsOf: (host) => details.get(host),
  };
}

/** A browser opens six HTTP/1.1 connections to a host. Domains beyond these are polled. */
const streamsMax = 3;

/** Follows these hosts by server-sent events. What is seen is undefined at the end of a stream. */
function useEventStreams(
  slug: string,
  hosts: readonly string[],
  onDetails: (host: string, seen: DomainDetails | undefined) => void,
): void {
  const open = useRef(new Map<string, EventSource>());
  const current = useRef(onDetails);
  current.current = onDetails;

  const close = (host: string) => {
    open.current.get(host)?.close();
    open.current.delete(host);
    current.current(host, undefined);
  };
  const follow = (host: string) => {
    const path = { project: slug, host };
    const stream = new EventSource(urlOf("/projects/{project}/domains/{host}/events", { path }));
    stream.addEventListener("domain", ({ data }) => current.current(host, JSON.parse(data)));
    // A browser does not reopen a stream that was refused; the list is polled anyway.
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) close(host);
    });
    open.current.set(host, stream);
  };

  useEffect(() => {
    for (const host of open.current.keys()) if (!hosts.includes(host)) close(host);
    for (const host of hosts) if (!open.current.has(host)) follow(host);
  }, [slug, hosts.join(" ")]);
  useEffect(
    () => () => {
      for (const stream of open.current.values()) stream.close();
      open.current.clear();
    },
    [],
  );
}
