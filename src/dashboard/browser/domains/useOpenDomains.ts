/** Which domains are open on the screen, and the events of the latest of them. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Domain, DomainDetails } from "../../../contract/generated/platform.ts";
import { urlOf } from "../../../contract/platformCalls.ts";

export interface OpenDomains {
  readonly isOpen: (domain: Domain) => boolean;
  readonly setOpen: (host: string, open: boolean) => void;
  /** From its event stream; undefined if none is open. */
  readonly detailsOf: (host: string) => DomainDetails | undefined;
}

/** Open are what the user opened, the wanted one, and one that is alone. */
export function useOpenDomains(
  slug: string,
  wanted: string,
  all: readonly Domain[],
  replace: (domain: Domain) => void,
): OpenDomains {
  const [details, setDetails] = useState<ReadonlyMap<string, DomainDetails>>(new Map());
  /** What the user opened or closed, the latest last. */
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = ({ host }: Pick<Domain, "host">) =>
    opened.get(host) ?? (host === wanted || all.length === 1);
  const setOpen = (host: string, open: boolean) =>
    setOpened((before) => new Map([...before].filter(([each]) => each !== host)).set(host, open));
  // It stays open when another one is wanted.
  useEffect(() => {
    if (wanted !== "") setOpen(wanted, true);
  }, [wanted]);

  const lately = [...opened.keys()].reverse();
  const age = ({ host }: Domain) => (lately.includes(host) ? lately.indexOf(host) : lately.length);
  const followed = all.filter(isOpen).sort((one, other) => age(one) - age(other));
  const hosts = followed.slice(0, streamsMax).map(({ host }) => host);
  useEventStreams(slug, hosts, (host, seen) => {
    setDetails((before) => {
      const others = [...before].filter(([each]) => each !== host);
      return new Map(seen === undefined ? others : [...others, [host, seen]]);
    });
    if (seen === undefined) return;
    const { timeline: _timeline, budget: _budget, ...domain } = seen;
    replace(domain);
  });

  return { isOpen, setOpen, detailsOf: (host) => details.get(host) };
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
