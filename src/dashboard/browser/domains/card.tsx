/** One domain: a row with its status, and its details below. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Domain, DomainDetails } from "../../../contract/generated/platform.ts";
import { later, now } from "../../../docs/browser/platform.ts";
import { announce } from "../announce.ts";
import { call, hasCode } from "../http.ts";
import { Button, Icon } from "../parts/buttons.tsx";
import { Ago, Day, Left } from "../parts/format.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { Badge, ErrorMessage, Notice } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";
import { Findings, Steps, Timeline } from "./progress.tsx";
import { Records } from "./record.tsx";
import { heldText, hstsLabels, isAbandoned, isServed, statusOf } from "./status.ts";

interface DomainCardProps {
  readonly domain: Domain;
  readonly details: DomainDetails | undefined;
  readonly open: boolean;
  /** The address of the page leads to it. */
  readonly wanted: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onChecked: (domain: Domain) => void;
  readonly onAdded: (domain: Domain) => void;
  /** Empty until it is known what can be done. */
  readonly menu: readonly MenuItem[];
}

export function DomainCard(props: DomainCardProps) {
  const { domain, details, open, wanted, onOpen, onChecked, onAdded, menu } = props;
  const { host, unicodeHost, role, certificate } = domain;
  const { tone, label } = statusOf(domain);
  const held = heldText(domain);
  const checking = useChecking(domain, onChecked);
  /** What comes of it is shown in the details. */
  const verify = () => {
    onOpen(true);
    checking.verify();
  };
  useAnnouncedStatus(host, label);
  return (
    <li class={wanted ? "domain wanted" : "domain"}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button in it does the same */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same */}
      <div
        class="domain-row"
        onClick={({ target }) => {
          if (!(target as Element).closest("a, button, .menu")) onOpen(!open);
        }}
      >
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
          <Badge tone={tone}>{label}</Badge>
          {role.kind === "primary" && !role.held && <span class="tag">primary</span>}
          {held !== undefined && <span class="quiet">{held}</span>}
          {held === undefined && role.kind === "redirect" && domain.status !== "live" && (
            <span class="quiet">
              Redirect to {role.to} ({role.status})
            </span>
          )}
        </div>
        <div class="domain-info">
          {certificate !== null && isServed(domain) && (
            <span class="quiet certificate-to">
              certificate to <Day at={certificate.notAfter} />
            </span>
          )}
          {domain.step !== "none" && !isServed(domain) && (
            <VerifyButton {...checking} verify={verify} first={domain.step === "dns"} />
          )}
          {isAbandoned(domain) && <StartAgain domain={domain} onAdded={onAdded} />}
        </div>
        <div class="domain-tools">
          <button
            type="button"
            class={open ? "icon disclose open" : "icon disclose"}
            aria-expanded={open}
            aria-label={`Details of ${unicodeHost}`}
            onClick={() => onOpen(!open)}
          >
            <Icon name="chevron" />
          </button>
          {menu.length > 0 && <Menu label={`More for ${unicodeHost}`} items={menu} />}
        </div>
      </div>
      {open && (
        <div class="domain-body">
          <Suspended domain={domain} />
          <Steps step={domain.step} status={domain.status} />
          {domain.step !== "none" && domain.project !== "" && (
            <Records
              host={unicodeHost}
              records={domain.records}
              details={details}
              settled={domain.status === "live"}
            />
          )}
          <Deadlines domain={domain} />
          <Findings findings={domain.findings} checkedAt={domain.checkedAt} />
          <p class="next">{domain.nextStep.text}</p>
          <NotChecked error={checking.error} />
          <CertificateLine domain={domain} />
          <Checks domain={domain} details={details} checking={checking} />
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

/** A requested check is running until the domain has a newer one. */
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
  return { host, busy: work.busy || under, error, verify };
}

/** Having to wait a little is not an error. */
function NotChecked({ error }: { error: unknown }) {
  if (!hasCode(error, "verify_too_soon")) return <ErrorMessage error={error} />;
  return (
    <p class="quiet" role="status">
      {error.message}
    </p>
  );
}

/** Announces a status to screen readers when it changes, not when it is first shown. */
function useAnnouncedStatus(host: string, label: string): void {
  const [before, setBefore] = useState(label);
  useEffect(() => {
    if (before === label) return;
    setBefore(label);
    announce(`${host}: ${label}`);
  }, [host, label, before]);
}

/** What was verified once is verified again. */
function VerifyButton({ host, busy, verify, first }: Checking & { first: boolean }) {
  const label = first ? "Verify now" : "Re-verify";
  return (
    <Button onClick={verify} busy={busy} label={`${busy ? "Checking" : label}: ${host}`}>
      {busy ? "Checking" : label}
    </Button>
  );
}

/** Adds it once more, as if it had never been there. */
function StartAgain({ domain, onAdded }: Pick<DomainCardProps, "domain" | "onAdded">) {
  const { project, host } = domain;
  const { run, busy, error } = useAction();
  const add = () =>
    run(async () => {
      const path = { project };
      const body = { host, prepare: false, proxied: false, withWww: false };
      onAdded(await call("post", "/projects/{project}/domains", { path, body }));
      announce(`${host} was added again.`);
    });
  return (
    <>
      <ErrorMessage error={error} />
      <Button onClick={add} busy={busy} label={`Start again: ${host}`}>
        Start again
      </Button>
    </>
  );
}

/** How long the owner waits at most for a change of DNS, and we do. */
function Deadlines({ domain: { propagatedBy, abandonAt } }: { domain: Domain }) {
  const awaited = propagatedBy !== null && Date.parse(propagatedBy) > now();
  if (!awaited && abandonAt === null) return null;
  return (
    <p class="quiet">
      {awaited && (
        <>
          DNS changes usually show within minutes; allow up to 48 hours (
          <Left until={propagatedBy} /> left).{" "}
        </>
      )}
      {abandonAt !== null && (
        <>
          We check until <Day at={abandonAt} />.
        </>
      )}
    </p>
  );
}

function Suspended({ domain: { status, findings } }: { domain: Domain }) {
  if (status === "abandoned") {
    const lost = findings.some(({ code }) => code === "PROVEN_ELSEWHERE");
    return (
      <Notice
        tone="neutral"
        title={lost ? "Detached" : "Given up after 30 days without the right record"}
      >
        <p>It stays in this list for 30 days.</p>
      </Notice>
    );
  }
  if (status !== "suspended") return null;
  return (
    <Notice tone="neutral" title="Attached, but not served">
      <p>
        A domain is served while its owner has the paid plan and the project is published. It is
        served again as soon as both apply.
      </p>
    </Notice>
  );
}

function CertificateLine({ domain: { certificate, hsts } }: { domain: Domain }) {
  if (certificate === null) return null;
  const { issuer, notBefore, notAfter, renewAt, window } = certificate;
  const facts: Readonly<Record<string, ComponentChildren>> = {
    "Certificate by": issuer,
    Valid: <Days start={notBefore} end={notAfter} />,
    Renews: renewAt !== null && (
      <>
        on <Day at={renewAt} />
      </>
    ),
    "Renewal window": window !== null && <Days {...window} />,
    "HTTPS only": hstsLabels[hsts],
  };
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([name, fact]) =>
          fact && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const Days = ({ start, end }: { start: string; end: string }) => (
  <>
    <Day at={start} /> to <Day at={end} />
  </>
);

interface ChecksProps {
  readonly domain: Domain;
  readonly details: DomainDetails | undefined;
  readonly checking: Checking;
}

/** The last check, the next one, and the timeline. */
function Checks({ domain, details, checking }: ChecksProps) {
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
            next check in <Left until={nextAt} />
          </span>
        )}
        <span>
          <Button kind="plain" expanded={shown} onClick={() => show(!shown)}>
            {shown ? "Hide timeline" : "Timeline"}
          </Button>
        </span>
        {isServed(domain) && <VerifyButton {...checking} first={false} />}
      </p>
      {shown && <Timeline slug={project} host={host} details={details} />}
    </>
  );
}
