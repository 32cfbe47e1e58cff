/** Which domains are open on the screen, and what is heard of those that somebody looks at. */
import { useRef, useState } from "preact/hooks";
import type { Domain, DomainDetails } from "../../../contract/generated/platform.ts";
import { isSettled } from "./statusWords.ts";
import { useEventStreams } from "./useEventStreams.ts";

export interface OpenDomains {
  readonly isOpen: (domain: Domain) => boolean;
  readonly setOpen: (host: string, open: boolean) => void;
  /** As a stream tells it; undefined where none is open. */
  readonly detailsOf: (host: string) => DomainDetails | undefined;
}

export function useOpenDomains(
  slug: string,
  all: readonly Domain[],
  replace: (domain: Domain) => void,
): OpenDomains {
  const [details, setDetails] = useState<ReadonlyMap<string, DomainDetails>>(new Map());
  /** What somebody opened or closed, the latest last. */
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  /** The others are open if something was awaited of them, and do not close when it has come. */
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
      hear(seen) {
        setDetails((before) => new Map(before).set(seen.host, seen));
        const { timeline: _timeline, budget: _budget, ...domain } = seen;
        replace(domain);
      },
      end(host) {
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
