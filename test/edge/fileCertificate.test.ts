import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Vault } from "../../src/core/vault.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import { ThrottledLog } from "../../src/hosting/edge/edge.ts";
import { FileCertificate } from "../../src/hosting/edge/fileCertificate.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { createAuthority } from "./certificates.ts";

const below = "sites.example.com";
const authority = createAuthority();
let clock: FakeClock;
let vault: Vault;
let folder: string;
let events: string[];
let written = 0;

beforeEach(() => {
  clock = fakeClock(Date.UTC(2026, 10, 15));
  vault = new Vault("what only this test knows", clock);
  folder = mkdtempSync(join(tmpdir(), "certificate-"));
  events = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(host: string, parts: readonly ("certificate" | "key")[]): void {
  const { chainPem, sealedKey } = authority.issue(host, "crt", vault);
  const texts = { certificate: chainPem, key: vault.open(sealedKey, certificateSeal(host, "crt")) };
  for (const part of parts) {
    writeFileSync(join(folder, part), texts[part]);
    written += 1;
    utimesSync(join(folder, part), written, written);
  }
}

function opened(): FileCertificate {
  const note = (event: string) => void events.push(event);
  const log = { info: note, warn: note, error: note, writes: () => true, flush: () => {} };
  const files = { certificate: join(folder, "certificate"), key: join(folder, "key"), below };
  return new FileCertificate(files, clock, new ThrottledLog(log, clock, 0));
}

test("it is for the names that a wildcard covers, and for no others", () => {
  write(`*.${below}`, ["certificate", "key"]);
  const certificate = opened();
  expect(certificate.for(`docs.${below}`)).toBeDefined();
  for (const other of [below, `a.docs.${below}`, `docs${below}`, "docs.example.com"]) {
    expect(certificate.for(other)).toBeUndefined();
  }
});

test("the last good one is served while the files do not fit together", () => {
  write(`*.${below}`, ["certificate", "key"]);
  const certificate = opened();
  const first = certificate.for(`docs.${below}`);
  write(`*.${below}`, ["key"]);
  clock.advance(10_000);
  expect(certificate.for(`docs.${below}`)).toBe(first as never);
  expect(events).toEqual(["edge.certificate_failed"]);
  write(`*.${below}`, ["certificate", "key"]);
  clock.advance(10_000);
  expect(certificate.for(`docs.${below}`)).not.toBe(first as never);
});
