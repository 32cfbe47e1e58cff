import { beforeAll, describe, expect, test } from "bun:test";
import {
  findAccessToken,
  findExpired,
  findSession,
  listSessions,
} from "../../src/storage/repositories/accounts.ts";
import {
  findAttached,
  findClaims,
  findDomain,
  findHolder,
  findNewestCertificate,
  findOldTombstones,
  lastEntry,
  listAttempts,
  listDomainsOfProject,
  pageQuery,
  readTimeline,
} from "../../src/storage/repositories/domains.ts";
import {
  attempts,
  certificates,
  challenges,
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
import { findExpiring, lockHeld } from "../../src/storage/repositories/recording.ts";
import { findFailed } from "../../src/storage/repositories/siteContents.ts";
import {
  findOwnContents,
  findProject,
  findSiteFile,
  listDeploymentsOfProject,
  readParts,
} from "../../src/storage/repositories/sites.ts";
import { expireOld, removeFailed } from "../../src/storage/repositories/siteWrites.ts";
import { forPostgres } from "../../src/storage/repositories/storage.ts";
import { usePlans } from "./postgresPlans.ts";

const after = { project: "p6", host: "a", id: "" };
const pageOfProject = pageQuery({ project: "p6", after, limit: 50 });
const pageOfAll = pageQuery({ after, limit: 50 });
const many = 8_000;
const all = `generate_series(1, ${many}) AS n`;
const state = "repeat('state of a domain, which takes some room ', 20)";

/** Every third domain is served, every third has ended, and every third waits; 200 are leased. */
const fill = `
  INSERT INTO owners SELECT 'o' || n, 'x', 'paid' FROM ${all};
  INSERT INTO projects SELECT 'p' || n, 'o' || n, 1 FROM ${all};
  INSERT INTO deployments SELECT 'p' || n, ordinal, 'dep' || n || '-' || ordinal,
      CASE WHEN ordinal = 3 THEN 'failed' ELSE 'ready' END, 1, 1, 0, 0
    FROM ${all} CROSS JOIN generate_series(1, 3) AS ordinal;
  UPDATE projects SET current = 'dep' || substr(slug, 2) || '-1';
  INSERT INTO contents SELECT 'hash' || n, 3, true FROM ${all};
  INSERT INTO content_parts SELECT 'hash' || n, encoding, 0, 'abc'
    FROM ${all} CROSS JOIN unnest(ARRAY['identity', 'gzip', 'br']) AS encoding;
  INSERT INTO site_files SELECT 'dep' || n || '-1', path, 'hash' || n
    FROM ${all} CROSS JOIN unnest(ARRAY['index.html', 'a.css']) AS path;
  INSERT INTO site_files SELECT 'dep' || n || '-3', 'index.html', 'hash' || n FROM ${all};
  INSERT INTO certificates SELECT 'c' || n, 'h' || n || '.example', 'chain', 'key', 'i', n, n
    FROM ${all};
  INSERT INTO domains (id, ordinal, host, project, owner_id, ownership, ended_at_ms, served,
      certificate_id, state, version, due_at_ms, lease_holder, lease_until_ms, fence)
    SELECT 'd' || n, n, 'h' || n || '.example', 'p' || n, 'o' || n,
      CASE WHEN n % 3 = 1 THEN 'removed' ELSE 'held' END, CASE WHEN n % 3 = 1 THEN n END,
      n % 3 = 0, CASE WHEN n % 3 = 0 THEN 'c' || n END, ${state}, 1, n,
      CASE WHEN n <= 200 THEN 'another' END, CASE WHEN n <= 200 THEN ${many} END, 0
    FROM ${all};
  INSERT INTO domain_timeline SELECT 'd' || n, number, '{}'
    FROM ${all} CROSS JOIN generate_series(1, 10) AS number;
  INSERT INTO project_routing SELECT 'p' || n, 1, '{}' FROM ${all};
  INSERT INTO ca_attempts SELECT n, 'h' || n || '.example', 'r' || n % 1000, 'order', n FROM ${all};
  INSERT INTO challenges SELECT 'h' || n || '.example', 't' || n, 'k', n FROM ${all};
  INSERT INTO access_tokens SELECT n, 'a' || n, 'x', 'owner', 'o' || n, 'h' || n, 'x', 1 FROM ${all};
  INSERT INTO accounts (name, kind, owner_id) SELECT 'o' || n, 'owner', 'o' || n FROM ${all};
  INSERT INTO sessions SELECT 'o' || n, 1, 's' || n, 'h' || n, '', 1, 1, n FROM ${all}`;

const { analyse, explain } = usePlans(fill);
beforeAll(analyse);

const hosts = (count: number) =>
  Array.from({ length: count }, (_, index) => `h${(index + 1) * 3}.example`);
const deployments = Array.from({ length: 50 }, (_, index) => `dep${index + 1}-1`);
const oldest = 4_000;

/** What it asks for, through which indexes, and how many rows of one step it may touch. */
const questions: readonly (readonly [string, string, readonly unknown[], string[], number])[] = [
  ["the route of a host", findRoute.text, [hosts(1)], ["domains_held"], 1],
  ["what a redirect leads to", findReached.text, [hosts(1)], ["domains_held"], 1],
  ["the routes of 50 hosts", findRoute.text, [hosts(50)], ["domains_held"], 50],
  ["the route of a host that nobody has", findRoute.text, [["x.example"]], ["domains_held"], 0],
  [
    "the certificate of a host",
    findServedCertificate.text,
    [hosts(1)],
    ["domains_held", "certificates_pkey"],
    1,
  ],
  ["a challenge", findChallenge, ["h7.example", "t7", 0], ["challenges_pkey"], 1],
  // Past those that are leased to another, and not a step further than it takes.
  ["what is due", findDue, [many, 10], ["domains_due"], 210],
  ["nothing that is due", findDue, [0, 10], ["domains_due"], 0],
  ["a domain", findDomain, ["d7"], ["domains_pkey"], 1],
  ["the holder of a name", findHolder, ["h6.example"], ["domains_held"], 1],
  ["the claims on a name", findClaims, ["h7.example"], ["domains_by_host"], 1],
  ["the domains of a project", listDomainsOfProject, ["p6"], ["domains_of_project"], 1],
  [
    "a page of the domains of a project",
    pageOfProject.text,
    pageOfProject.values,
    ["domains_listed"],
    1,
  ],
  ["a page of all domains", pageOfAll.text, pageOfAll.values, ["domains_listed"], 75],
  ["an attached domain", findAttached, ["p6", "h6.example"], ["domains_of_project"], 1],
  ["a timeline, backwards", readTimeline, ["d7", 5], ["domain_timeline_pkey"], 5],
  ["the last entry of a timeline", lastEntry, ["d7"], ["domain_timeline_pkey"], 1],
  [
    "the newest certificate of a host",
    findNewestCertificate,
    ["h7.example", 0],
    ["certificates_by_host"],
    1,
  ],
  [
    "attempts",
    listAttempts,
    ["h7.example", "r7", 0],
    ["ca_attempts_by_host", "ca_attempts_by_registrable"],
    20,
  ],
  [
    "a file",
    findSiteFile.text,
    [["dep7-1"], ["a.css"]],
    ["site_files_pkey", "content_parts_pkey"],
    2,
  ],
  [
    "50 files",
    findSiteFile.text,
    [deployments, deployments.map(() => "a.css")],
    ["site_files_pkey", "content_parts_pkey"],
    100,
  ],
  ["a content", readParts, ["hash7", "br"], ["content_parts_pkey"], 1],
  ["a project", findProject.text, [["p7"]], ["projects_pkey"], 1],
  ["the last deployments", listDeploymentsOfProject, ["p7", 2], ["deployments_pkey"], 2],
  [
    "contents that a project has",
    findOwnContents,
    [Array.from({ length: 50 }, (_, n) => `hash${n + 1}`), "p7"],
    ["deployments_pkey", "site_files_pkey", "contents_pkey"],
    3,
  ],
  ["files of failed deployments", findFailed, ["p7", 64], ["deployments_pkey"], 3],
  ["deployments beyond the limit", expireOld, ["p7", "dep7-1", ""], ["deployments_pkey"], 3],
  ["failed deployments to delete", removeFailed, ["p7"], ["deployments_pkey"], 3],
  ["old tombstones", findOldest(tombstones), [oldest], ["domains_ended"], 100],
  ["tombstones to delete", removeFound(tombstones), [oldest, ["d1", "d4"]], ["domains_pkey"], 2],
  [
    "a project's tombstones that are too many",
    findOldTombstones,
    ["p7"],
    ["domains_ended_of_project"],
    1,
  ],
  ["the held domains of a project", lockHeld.project, ["p3"], ["domains_of_project"], 1],
  [
    "the held domains of an owner",
    lockHeld.owner,
    ["o3"],
    ["projects_by_owner", "domains_of_project"],
    1,
  ],
  [
    "a certificate that is expiring",
    findExpiring,
    [3, 1, 30],
    ["certificates_by_end", "domains_by_certificate"],
    30,
  ],
  ["no certificate that is expiring", findExpiring, [0, 1, 0], ["certificates_by_end"], 0],
  ["old challenges", findOldest(challenges), [oldest], ["challenges_by_end"], 100],
  ["challenges to delete", removeFound(challenges), [oldest, hosts(50)], ["challenges_pkey"], 50],
  ["old attempts", findOldest(attempts), [oldest], ["ca_attempts_by_age"], 100],
  ["attempts to delete", removeFound(attempts), [oldest, [1, 2]], ["ca_attempts_pkey"], 2],
  // Every third is held by a domain, and stays.
  ["old certificates", findOldest(certificates), [oldest], ["certificates_by_end"], 150],
  [
    "certificates to delete",
    removeFound(certificates),
    [oldest, ["c1", "c2"]],
    ["certificates_pkey"],
    2,
  ],
  ["an access token", findAccessToken, ["h7"], ["access_tokens_hash_key"], 1],
  ["a session", findSession, ["h7"], ["sessions_hash_key"], 1],
  ["the sessions of an account", listSessions, ["o7"], ["sessions_pkey"], 1],
  ["sessions that are over", findExpired("sessions", "id"), [oldest], ["sessions_by_end"], 100],
];

describe("what PostgreSQL does for sites, domains and sign-ins", () => {
  for (const [what, text, values, indexes, rowsMax] of questions) {
    test(`${what}: it seeks in ${indexes.join(" and ")}, and touches no more than it must`, async () => {
      const steps = await explain(forPostgres(text), values);
      const used = steps.flatMap((step) => step["Index Name"] ?? []);
      expect(used).toEqual(expect.arrayContaining(indexes));
      const scans = steps.filter((step) => step["Node Type"] === "Seq Scan");
      // The counters are a handful of rows on one page.
      expect(scans.filter((step) => step["Actual Rows"] > 1)).toEqual([]);
      for (const step of steps.filter((each) => each["Index Name"] !== undefined)) {
        const perLoop = step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0);
        expect(perLoop * step["Actual Loops"]).toBeLessThanOrEqual(rowsMax);
      }
    });
  }
});
