import { describe, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/core/clock.ts";
import {
  countUncertified,
  findAttached,
  findClaims,
  findDomain,
  findHolder,
  findNewestCertificate,
  findOldTombstones,
  listAllDomains,
  listAttempts,
  listDomainsOfProject,
  pageQuery,
  readTimeline,
} from "../../src/storage/repositories/domains.ts";
import {
  attempts,
  certificates,
  challenges,
  edges,
  findDue,
  findOldest,
  removeFound,
  tombstones,
} from "../../src/storage/repositories/domainWorker.ts";
import {
  findChallenge,
  findReached,
  findRoute,
  findServedCertificate,
} from "../../src/storage/repositories/edgeView.ts";
import { forSqlite, forSqliteOne } from "../../src/storage/repositories/storage.ts";
import { backupSqlite, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import {
  addTo,
  changeIn,
  domainFor,
  held,
  hourMs,
  nowMs,
  projectIn,
  proofNeeded,
  removed,
  servedIn,
  storedIn,
} from "./domainSamples.ts";
import { useTemporaryFolder } from "./folder.ts";
import { rejectionOf } from "./rejection.ts";

const folder = useTemporaryFolder();
const database = () => folder.path("petstore.db");
const backup = () => folder.path("backup.db");
const restore = () => restoreSqlite(database(), backup(), "production", systemClock);
const host = "docs.example.com";
const request = { holder: "one", nowMs, untilMs: nowMs + hourMs, max: 10 };

describe("query plans", () => {
  const position = { project: "shop", host, id: "dom_1" };
  const standing = [
    /^SEARCH projects USING PRIMARY KEY \(slug=\?\)$/,
    /^SEARCH owners USING PRIMARY KEY \(id=\?\)$/,
  ];
  // A name of the platform itself has neither.
  const anyStanding = [
    /^SEARCH owners USING PRIMARY KEY \(id=\?\) LEFT-JOIN$/,
    /^SEARCH projects USING PRIMARY KEY \(slug=\?\) LEFT-JOIN$/,
  ];
  const search = (table: string, index: string, by: string) =>
    new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} \\(${by}\\)$`);
  /** Of an abandoned one: whether its project has added the name again. */
  const later = [
    /^CORRELATED SCALAR SUBQUERY 1$/,
    search("later", "domains_by_host", "host=\\? AND rowid>\\?"),
  ];
  /** What the query does, step by step. Nothing of it may scan or sort, unless it says so. */
  const plans: Readonly<Record<string, [query: string, steps: RegExp[]]>> = {
    "a route is found by its host among those that hold theirs": [
      forSqliteOne(findRoute.text),
      [
        search("domains", "domains_held", "host=\\?"),
        ...standing,
        /^SEARCH project_routing USING PRIMARY KEY \(project=\?\) LEFT-JOIN$/,
      ],
    ],
    "what a redirect leads to is found by its host": [
      forSqliteOne(findReached.text),
      [
        search("domains", "domains_held", "host=\\?"),
        ...standing,
        search("certificates", "\\S+", "id=\\?"),
      ],
    ],
    "a holder is found by its name": [
      findHolder,
      [search("domains", "domains_held", "host=\\?"), ...anyStanding],
    ],
    "a served certificate is found by its host": [
      forSqliteOne(findServedCertificate.text),
      [search("domains", "domains_held", "host=\\?"), search("certificates", "\\S+", "id=\\?")],
    ],
    "a challenge is found by host and token": [
      findChallenge,
      [/^SEARCH challenges USING PRIMARY KEY \(host=\? AND token=\?\)$/],
    ],
    "what is due is found in its order": [
      findDue,
      [search("domains", "domains_due", "due_at_ms<\\?"), ...anyStanding],
    ],
    "a timeline is read backwards": [
      readTimeline,
      [/^SEARCH domain_timeline USING PRIMARY KEY \(domain_id=\?\)$/],
    ],
    "a domain is found by its id": [
      findDomain,
      [search("domains", "\\S+", "id=\\?"), ...anyStanding],
    ],
    "claims are found by their host, newest first": [
      findClaims,
      [search("domains", "domains_by_host", "host=\\?"), ...anyStanding],
    ],
    "a project's domains are found in the order of their hosts": [
      listDomainsOfProject,
      [search("domains", "domains_of_project", "project=\\?"), ...anyStanding],
    ],
    "a page of a project is read in its order": [
      pageQuery({ project: "shop", after: position, limit: 9 }).text,
      [
        search("domains", "domains_listed", "project=\\? AND \\(host,id\\)>\\(\\?,\\?\\)"),
        ...later,
        ...anyStanding,
      ],
    ],
    "a page of all domains is read in its order": [
      pageQuery({ after: position, limit: 9 }).text,
      [
        search("domains", "domains_listed", "\\(project,host,id\\)>\\(\\?,\\?,\\?\\)"),
        ...later,
        ...anyStanding,
      ],
    ],
    "an attached domain is found by its project and host": [
      findAttached,
      [search("domains", "domains_of_project", "project=\\? AND host=\\?"), ...anyStanding],
    ],
    "the prepared domains of an owner are found by its projects": [
      countUncertified,
      [
        /SEARCH projects USING (?:COVERING )?INDEX projects_by_owner \(owner_id=\?\)/,
        search("domains", "domains_of_project", "project=\\?"),
      ],
    ],
    "all domains are read in the order of their hosts": [
      listAllDomains,
      [/^SCAN domains USING INDEX domains_by_host$/, ...anyStanding],
    ],
    "a certificate is found by its host": [
      findNewestCertificate,
      [
        search("certificates", "certificates_by_host", "host=\\?"),
        /^USE TEMP B-TREE FOR LAST TERM/,
      ],
    ],
    "attempts are found by host and by registrable domain, then sorted": [
      listAttempts,
      [
        /^MULTI-INDEX OR$/,
        /^INDEX 1$/,
        search("ca_attempts", "ca_attempts_by_host", "host=\\? AND at_ms>\\?"),
        /^INDEX 2$/,
        search("ca_attempts", "ca_attempts_by_registrable", "registrable=\\? AND at_ms>\\?"),
        /^USE TEMP B-TREE FOR ORDER BY$/,
      ],
    ],
    "old tombstones are found by their age": [
      findOldest(tombstones),
      [search("domains", "domains_ended", "ended_at_ms<\\?")],
    ],
    "the tombstones of a project that are too many are found by their age": [
      findOldTombstones,
      [
        search("domains", "sqlite_autoindex_domains_1", "id=\\?"),
        /^LIST SUBQUERY/,
        search("domains", "domains_ended_of_project", "project=\\? AND ended_at_ms>\\?"),
      ],
    ],
  };
  for (const [what, [query, expected]] of Object.entries(plans)) {
    test(what, async () => {
      expect(await planOf(query)).toEqual(expected.map((step) => expect.stringMatching(step)));
    });
  }

  for (const sweep of [tombstones, challenges, attempts, certificates, edges]) {
    test(`the sweep of ${sweep.table} scans nothing but its list, and sorts nothing`, async () => {
      for (const query of [findOldest(sweep), removeFound(sweep)]) {
        const steps = await planOf(query);
        expect(steps.filter((step) => /SEARCH/.test(step))).not.toEqual([]);
        expect(steps.filter((step) => /SCAN (?!json_each)|TEMP B-TREE/.test(step))).toEqual([]);
      }
    });
  }

  async function planOf(query: string): Promise<string[]> {
    await folder.open();
    const db = new DatabaseSync(database());
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${forSqlite(query)}`).all();
    db.close();
    return steps.map(({ detail }) => detail as string);
  }
});

describe("a restore under those who use the domains", () => {
  test("takes every lease away for good: no number of a lease comes again", async () => {
    const stores = await folder.open();
    await projectIn(stores, "shop");
    const domain = domainFor(host);
    await addTo(stores, domain);
    await backupSqlite(database(), backup(), systemClock);
    const [before] = await stores.domains.takeDue(request);
    await restore();
    const [after] = await stores.domains.takeDue(request);
    expect(after?.domain.id).toBe(domain.id);
    expect(after?.lease.fence).toBeGreaterThan(before?.lease.fence as number);
    const lease = before?.lease ?? { domainId: "none", fence: 0 };
    const change = { domain, version: 1, dueAtMs: nowMs, entries: [], lease };
    expect(await stores.domains.change(change)).toBe("fenced");
  });

  test("leaves what was removed since removed, and edges hear of the rest", async () => {
    const stores = await folder.open();
    await projectIn(stores, "shop");
    const kept = await servedIn(stores, host);
    const gone = await servedIn(stores, "gone.example.com");
    const timeline = await stores.domains.timeline(kept.id, 9);
    await backupSqlite(database(), backup(), systemClock);
    await changeIn(stores, { ...gone, ownership: removed() });
    await changeIn(stores, { ...kept, overdueReported: true });
    const revision = await stores.edgeView.revision();
    await restore();
    expect(await stores.edgeView.revision()).toBeGreaterThan(revision);
    expect(await stores.edgeView.route(host)).toBeDefined();
    expect((await stores.edgeView.certificate(host))?.id).toBe(`cert_${host}`);
    expect(await stores.domains.timeline(kept.id, 9)).toEqual(timeline);
    expect((await storedIn(stores, kept)).domain).toEqual(kept);
    expect(await stores.edgeView.route("gone.example.com")).toBeUndefined();
    expect((await storedIn(stores, gone)).domain.ownership).toEqual(removed());
  });
});

describe("what the tables refuse by themselves", () => {
  for (const [what, ownership, index] of [
    ["a second holder of a name", held, "domains.host"],
    ["a second claim of a project on a name", proofNeeded, "domains.project, domains.host"],
  ] as const) {
    test(what, async () => {
      const stores = await folder.open();
      await projectIn(stores, "shop");
      await projectIn(stores, "rival");
      await addTo(stores, domainFor(host, "shop", { ownership }));
      const db = new DatabaseSync(database());
      const project = ownership.kind === "held" ? "rival" : "shop";
      const copy = db.prepare(
        `INSERT INTO domains (id, host, project, owner_id, ownership, served, state, version, fence)
         SELECT 'dom_copy', host, ?, owner_id, ownership, served, state, version, fence FROM domains`,
      );
      expect(() => copy.run(project)).toThrow(`UNIQUE constraint failed: ${index}`);
      db.close();
    });
  }

  test("a domain that holds a certificate which is not stored", async () => {
    const stores = await folder.open();
    await projectIn(stores, "shop");
    const domain = await servedIn(stores, host);
    const { held } = domain.certificate;
    if (held === undefined) throw new Error("It should hold one.");
    const certificate = { ...domain.certificate, held: { ...held, id: "cert_unknown" } };
    await rejectionOf(changeIn(stores, { ...domain, certificate }));
    expect((await stores.edgeView.certificate(host))?.id).toBe(held.id);
  });

  test("an instant that is no whole number of milliseconds", async () => {
    const stores = await folder.open();
    await projectIn(stores, "shop");
    await rejectionOf(stores.domains.add(domainFor(host), nowMs + 0.5, []));
    expect(await stores.domains.claimsOn(host)).toEqual([]);
  });
});
