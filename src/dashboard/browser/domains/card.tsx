/** One domain: a row that says how it is, and below it all that its owner may need to know. */
import { useEffect, useState } from "preact/hooks";
import type { Domain, DomainDetails } from "../../../contract/generated/platform.ts";
import { announce } from "../announce.ts";
import { call, hasCode } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Ago, Day, Left } from "../parts/format.tsx";
import { ChevronIcon } from "../parts/icons.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { Badge, ErrorMessage, Notice } from "../parts/notice.tsx";
import { later } from "../platform.ts";
import { useAction } from "../useApi.ts";
import { Findings, Steps, Timeline } from "./progress.tsx";
import { Records } from "./record.tsx";
import { isServed, wordsOf } from "./statusWords.ts";

interface DomainCardProps {
  readonly domain: Domain;
  readonly details: DomainDetails | undefined;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onChecked: (domain: Domain) => void;
  readonly menu: readonly MenuItem[];
}

export function DomainCard(props: DomainCardProps) {
  const { domain, details, open, onOpen, onChecked, menu } = props;
  const { host, unicodeHost, role, certificate } = domain;
  const { meaning, words } = wordsOf(domain);
  const checking = useChecking(domain, onChecked);
  useToldStatus(host, words);
  return (
    <li class="domain">
      <div class="domain-row">
        <div class="domain-name">
          <h3>
            {isServed(domain) ? (
              <a href={`https://${host}/`} target="_blank" rel="noreferrer">
                {unicodeHost}
              </a>
            ) : (
              unicodeHost
            )}
          </h3>
          {unicodeHost !== host && <code class="quiet">{host}</code>}
          <Badge meaning={meaning}>{words}</Badge>
          {role.kind === "primary" && <span class="tag">primary</span>}
        </div>
        <div class="domain-info">
          {certificate !== null && isServed(domain) && (
            <span class="quiet certificate-to">
              certificate to <Day at={certificate.notAfter} />
            </span>
          )}
          {domain.step !== "none" && !isServed(domain) && <VerifyButton {...checking} first />}
        </div>
        <div class="domain-tools">
          <button
            type="button"
            class={open ? "icon disclose open" : "icon disclose"}
            aria-expanded={open}
            aria-label={`Details of ${unicodeHost}`}
            onClick={() => onOpen(!open)}
          >
            <ChevronIcon />
          </button>
          <Menu label={`More for ${unicodeHost}`} items={menu} />
        </div>
      </div>
      {open && (
        <div class="domain-body">
          <Suspended domain={domain} />
          <Steps step={domain.step} status={domain.status} />
          {(!isServed(domain) || domain.status === "degraded") && domain.step !== "none" && (
            <Records host={unicodeHost} records={domain.records} details={details} />
          )}
          <Findings findings={domain.findings} checkedAt={domain.checkedAt} />
          <NotChecked error={checking.error} />
          <CertificateLine domain={domain} />
          <Looks domain={domain} details={details} checking={checking} />
        </div>
      )}
    </li>
  );
}

interface Checking {
  readonly host: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly verify: () => void;
}

/** A check was asked for, and is under way until one is seen that is newer. */
function useChecking(domain: Domain, onChecked: (domain: Domain) => void): Checking {
  const { host, project, checkedAt } = domain;
  const work = useAction();
  const [since, setSince] = useState<string | null>();
  const under = since !== undefined && since === checkedAt;
  const verify = () =>
    work.run(async () => {
      const before = checkedAt;
      const path = { project, host };
      onChecked(await call("post", "/projects/{project}/domains/{host}/verify", { path }));
      setSince(before);
      announce(`${host} is being checked.`);
    });
  const { error } = work;
  const waitSeconds = hasCode(error, "verify_too_soon") ? error.retryAfterSeconds : undefined;
  useEffect(() => {
    return waitSeconds === undefined ? undefined : later(waitSeconds * 1000, work.clear);
  }, [error]);
  return { host, busy: work.busy || under, error, verify: () => void verify() };
}

/** Nothing is wrong where somebody only has to wait a little. */
function NotChecked({ error }: { error: unknown }) {
  if (!hasCode(error, "verify_too_soon")) return <ErrorMessage error={error} />;
  return (
    <p class="quiet" role="status">
      {error.message}
    </p>
  );
}

/** Those who listen hear it when a status changes, not when it is first shown. */
function useToldStatus(host: string, words: string): void {
  const [before, setBefore] = useState(words);
  useEffect(() => {
    if (before === words) return;
    setBefore(words);
    announce(`${host}: ${words}`);
  }, [host, words, before]);
}

function VerifyButton({ host, busy, verify, first = false }: Checking & { first?: boolean }) {
  const words = first ? "Verify now" : "Re-verify";
  return (
    <Button onClick={verify} busy={busy} label={`${busy ? "Checking" : words}: ${host}`}>
      {busy ? "Checking" : words}
    </Button>
  );
}

function Suspended({ domain: { status } }: { domain: Domain }) {
  if (status === "abandoned") {
    return (
      <Notice meaning="neutral" title="Given up after 30 days without the right record">
        <p>Remove it and add it again when its DNS can be changed.</p>
      </Notice>
    );
  }
  if (status !== "suspended") return null;
  return (
    <Notice meaning="neutral" title="It is attached, but not served">
      <p>
        A domain is served while its owner has the paid plan and the project shows a deployment. It
        comes back by itself when both are so again.
      </p>
    </Notice>
  );
}

function CertificateLine({ domain: { certificate } }: { domain: Domain }) {
  if (certificate === null) return null;
  const { issuer, notBefore, notAfter, renewAt, window } = certificate;
  return (
    <dl class="facts">
      <div>
        <dt>Certificate by</dt>
        <dd>{issuer}</dd>
      </div>
      <div>
        <dt>Valid</dt>
        <dd>
          <Day at={notBefore} /> to <Day at={notAfter} />
        </dd>
      </div>
      {renewAt !== null && (
        <div>
          <dt>Renewed</dt>
          <dd>
            on <Day at={renewAt} />
          </dd>
        </div>
      )}
      {window !== null && (
        <div>
          <dt>Renewal window</dt>
          <dd>
            <Day at={window.start} /> to <Day at={window.end} />
          </dd>
        </div>
      )}
    </dl>
  );
}

interface LooksProps {
  readonly domain: Domain;
  readonly details: DomainDetails | undefined;
  readonly checking: Checking;
}

/** When it was looked at, when it will be, and all the looks before. */
function Looks({ domain, details, checking }: LooksProps) {
  const [shown, show] = useState(false);
  const { project, host, checkedAt, nextAt, step } = domain;
  return (
    <>
      <p class="looks quiet">
        <span>
          {checkedAt === null ? (
            "Not checked yet"
          ) : (
            <>
              Checked <Ago at={checkedAt} past />
            </>
          )}
        </span>
        {step !== "none" && (
          <span>
            next check in <Left untilMs={Date.parse(nextAt)} ended="a moment" />
          </span>
        )}
        <span>
          <button type="button" class="plain" aria-expanded={shown} onClick={() => show(!shown)}>
            {shown ? "Hide timeline" : "Timeline"}
          </button>
        </span>
        {isServed(domain) && <VerifyButton {...checking} />}
      </p>
      {shown && <Timeline slug={project} host={host} details={details} />}
    </>
  );
}
