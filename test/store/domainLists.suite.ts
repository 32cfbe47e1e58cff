/** How every store of domains finds and lists them, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import type { DomainPosition, StoredDomain } from "../../src/hosting/domains/domains.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  abandoned,
  addTo,
  domainFor,
  held,
  projectIn,
  proofNeeded,
  removed,
  storedIn,
} from "./domainSamples.ts";

const host = "docs.example.com";
const hostsOf = (stored: readonly StoredDomain[]) => stored.map(({ domain }) => domain.host);
const idsOf = (stored: readonly StoredDomain[]) => stored.map(({ domain }) => domain.id);

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeDomainLists(engine: string, open: () => Promise<Stores>): void {
  /** The projects `shop` and `rival`, each shown and paid for. */
  async function openWithProjects(): Promise<Stores> {
    const stores = await open();
    await projectIn(stores, "shop");
    await projectIn(stores, "rival");
    return stores;
  }

  describe(`finding domains on ${engine}`, () => {
    test("lists come in the order of the hosts, without what has ended", async () => {
      const stores = await openWithProjects();
      for (const [name, project, ownership] of [
        ["c.example", "shop", held],
        ["a.example", "shop", proofNeeded],
        ["a.example", "rival", held],
        ["b.example", "rival", held],
        ["d.example", "shop", removed()],
        ["e.example", "shop", abandoned()],
      ] as const) {
        await addTo(stores, domainFor(name, project, { ownership }));
      }
      const { domains } = stores;
      expect(hostsOf(await domains.list())).toEqual([
        "a.example",
        "a.example",
        "b.example",
        "c.example",
      ]);
      expect(hostsOf(await domains.list("shop"))).toEqual(["a.example", "c.example"]);
      expect(hostsOf(await domains.list("rival"))).toEqual(["a.example", "b.example"]);
    });

    test("pages have the abandoned ones too, unless their project has added the name again", async () => {
      const stores = await openWithProjects();
      const add = (name: string, project: string, ownership: Domain["ownership"], id?: string) =>
        addTo(stores, domainFor(name, project, { ownership, ...(id === undefined ? {} : { id }) }));
      await add("c.example", "shop", abandoned());
      await add("b.example", "rival", abandoned());
      await add("a.example", "shop", abandoned());
      await add("d.example", "shop", removed());
      const { domains } = stores;
      const paged = async (project?: string) => hostsOf(await domains.page({ project, limit: 9 }));
      expect(await paged()).toEqual(["b.example", "a.example", "c.example"]);
      expect(await paged("shop")).toEqual(["a.example", "c.example"]);

      await add("a.example", "shop", held, "dom_again_a");
      await add("b.example", "shop", held, "dom_again_b");
      await add("c.example", "shop", removed(), "dom_again_c");
      expect(idsOf(await domains.page({ limit: 9 }))).toEqual([
        "dom_rival_b.example",
        "dom_again_a",
        "dom_again_b",
      ]);
    });

    test("pages come in the order of projects and hosts, by code units, and lose nothing", async () => {
      const stores = await openWithProjects();
      const names = [
        "a-b.example",
        "a.example",
        "ab.example",
        "xn--bcher-kva.example",
        "b.example",
      ];
      for (const project of ["shop", "rival"]) {
        for (const name of names) {
          const ownership = project === "shop" ? held : proofNeeded;
          await addTo(stores, domainFor(name, project, { ownership }));
        }
        await addTo(stores, domainFor("gone.example", project, { ownership: removed() }));
      }
      const { domains } = stores;
      const sorted = names.toSorted();
      const walked: string[] = [];
      for (let after: DomainPosition | undefined; ; ) {
        const page = await domains.page({ limit: 3, after });
        walked.push(...page.map(({ domain }) => `${domain.project} ${domain.host}`));
        after = page.at(-1)?.domain;
        if (page.length < 3) break;
      }
      const whole = ["rival", "shop"].flatMap((slug) => sorted.map((name) => `${slug} ${name}`));
      expect(walked).toEqual(whole);
      expect(hostsOf(await domains.page({ project: "shop", limit: 9 }))).toEqual(sorted);
      expect(hostsOf(await domains.page({ ownerId: "rival", limit: 2 }))).toEqual(
        sorted.slice(0, 2),
      );
      expect(await domains.page({ project: "shop", ownerId: "rival", limit: 9 })).toEqual([]);
      const found = hostsOf(await domains.page({ project: "shop", search: "a", limit: 9 }));
      expect(found).toEqual(expect.arrayContaining(["a-b.example", "a.example", "ab.example"]));
      expect(hostsOf(await domains.page({ project: "shop", search: "%", limit: 9 }))).toEqual([
        "xn--bcher-kva.example",
      ]);
      expect([await domains.count("shop"), await domains.count("nobody")]).toEqual([5, 0]);
    });

    test("prepared ones without a certificate are counted for their owner", async () => {
      const stores = await openWithProjects();
      const add = (name: string, project: string, changes: Partial<Domain>) =>
        addTo(stores, { ...domainFor(name, project, { ownership: proofNeeded }), ...changes });
      const validation = "dns-01" as const;
      await add("a.example", "shop", { validation });
      await add("b.example", "shop", { validation, ownership: removed() });
      await add("c.example", "shop", {});
      await add("d.example", "rival", { validation });
      const counted = ["shop", "rival", "nobody"].map((id) => stores.domains.countUncertified(id));
      expect(await Promise.all(counted)).toEqual([1, 1, 0]);
    });

    test("an attached one is found by project and host, and not once it has ended", async () => {
      const stores = await openWithProjects();
      await addTo(stores, domainFor(host, "rival", { ownership: proofNeeded }));
      await addTo(stores, domainFor(host, "shop", { ownership: removed() }));
      expect((await stores.domains.attached("rival", host))?.domain.project).toBe("rival");
      expect(await stores.domains.attached("shop", host)).toBeUndefined();
    });

    test("claims on a name come newest first, the ended ones too, at most 100", async () => {
      const stores = await openWithProjects();
      const ended = Array.from({ length: 105 }, (_, index) =>
        domainFor(host, "shop", { id: `dom_${index}`, ownership: removed() }),
      );
      for (const domain of ended) await addTo(stores, domain);
      await addTo(stores, domainFor(host, "rival"));
      const claims = idsOf(await stores.domains.claimsOn(host));
      expect(claims).toHaveLength(100);
      expect(claims.slice(0, 3)).toEqual([`dom_rival_${host}`, "dom_104", "dom_103"]);
    });

    test("the standing is that of the owner now", async () => {
      const stores = await openWithProjects();
      const domain = domainFor(host);
      await addTo(stores, domain);
      const standing = async () => (await storedIn(stores, domain)).standing;
      await stores.sites.setPlan("shop", "free");
      expect(await standing()).toEqual({ paid: false, deployed: true });
      await stores.sites.unpublish("shop");
      expect(await standing()).toEqual({ paid: false, deployed: false });
      await stores.sites.setPlan("shop", "paid");
      expect(await standing()).toEqual({ paid: true, deployed: false });
      expect((await stores.domains.claimsOn(host))[0]?.standing).toEqual(await standing());
      expect((await stores.domains.list())[0]?.standing).toEqual(await standing());
      expect((await storedIn(stores, domain)).version).toBe(1);
    });
  });
}
