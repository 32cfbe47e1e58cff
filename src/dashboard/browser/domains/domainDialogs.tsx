/** The dialogs that add, redirect and remove domains. */
import { useState } from "preact/hooks";
import type { Domain, HstsPolicy, Routing } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { closeDialog, Dialog, FormDialog } from "../parts/dialog.tsx";
import { ChoiceField, TextField, Tick } from "../parts/form.tsx";
import { ErrorMessage, Notice } from "../parts/notice.tsx";
import { useAction, useGet } from "../useApi.ts";
import { likelyTarget, redirectStatuses, saveRouting, withRedirect } from "./routing.ts";
import { hstsLabels, isServed, statusOf } from "./status.ts";

const howToAttach = {
  directly: "Not in use yet",
  prepared: "Served elsewhere: move it without a gap",
  proxied: "Behind a proxy, such as Cloudflare's",
} as const;

const hintsToAttach: Readonly<Record<keyof typeof howToAttach, string>> = {
  directly: "The certificate is issued once the name points here, which takes a minute or two.",
  prepared: "One more record first. Then visitors notice nothing when you change the address.",
  proxied: "One more record first. The proxy stays on, and checks our certificate.",
};

interface AddDomainProps {
  readonly slug: string;
  readonly onAdded: (domain: Domain) => void;
}

export function AddDomain({ slug, onAdded }: AddDomainProps) {
  const [host, setHost] = useState("");
  const [how, setHow] = useState<keyof typeof howToAttach>("directly");
  const [ticked, tick] = useState(false);
  const twin = twinOf(host);
  const withWww = twin !== undefined && ticked;
  const action = useAction();
  const add = async () => {
    const path = { project: slug };
    const domain = await call("post", "/projects/{project}/domains", {
      path,
      body: { host, withWww, prepare: how === "prepared", proxied: how === "proxied" },
    });
    onAdded(domain);
    return withWww
      ? `${domain.host} and ${twin} were added. Create the records that are shown, then verify.`
      : `${domain.host} was added. Create the record that is shown, then verify.`;
  };
  return (
    <FormDialog title="Add domain" submit="Add domain" action={action} onSubmit={add}>
      <TextField
        label="Domain"
        value={host}
        onText={(text) => {
          setHost(text);
          if (action.error !== undefined) action.clear();
        }}
        placeholder="docs.example.com"
        autocapitalize="none"
        autocomplete="off"
        inputMode="url"
        mono
        required
        hint="A host name whose DNS you can change. The record to create is shown next. DNS changes usually show within minutes; allow up to 48 hours."
      />
      {twin !== undefined && (
        <Tick type="checkbox" checked={ticked} onTick={() => tick(!ticked)}>
          Also add <code>{twin}</code>, and redirect it here
        </Tick>
      )}
      <ChoiceField
        label="In use"
        value={how}
        options={howToAttach}
        onChoice={setHow}
        hint={hintsToAttach[how]}
      />
    </FormDialog>
  );
}

/** Two labels, or three below a suffix such as co.uk; the service knows all suffixes. */
const apexForm = /^[^.]+\.(?:[^.]+|(?:ac|co|com|edu|gov|net|org)\.[a-z]{2})$/;

function twinOf(typed: string): string | undefined {
  const host = typed.trim().toLowerCase().replace(/\.$/, "");
  const bare = host.replace(/^www\./, "");
  if (!apexForm.test(bare)) return undefined;
  return bare === host ? `www.${host}` : bare;
}

interface RedirectDialogProps {
  readonly slug: string;
  readonly domain: Domain;
  /** Those on the screen, among them this one. There may be more. */
  readonly seen: readonly Domain[];
  readonly routing: Routing;
  readonly onRouting: (routing: Routing) => void;
}

export function RedirectDialog(props: RedirectDialogProps) {
  const { domain, seen, routing } = props;
  const own = routing.redirects.find(({ from }) => from === domain.host);
  const [to, setTo] = useState(own?.to ?? likelyTarget(domain.host, routing, seen));
  const [status, setStatus] = useState(String(own?.status ?? 301));
  const permanent = status === "301" || status === "308";
  const save = async () => {
    await redirect(props, to, Number(status));
    const served = seen.some((each) => each.host === to && isServed(each));
    return `${domain.host} redirects to ${to}${served ? "" : ` as soon as ${to} is live`}.`;
  };
  return (
    <FormDialog title={`Redirect ${domain.host}`} submit="Save redirect" onSubmit={save}>
      <TargetField label="To" to={to} onTo={setTo} {...props} />
      <ChoiceField
        label="How"
        value={status}
        options={redirectStatuses}
        onChoice={setStatus}
        hint={
          permanent
            ? "Browsers and search engines remember it. If you are not sure, start with a temporary one."
            : "Browsers ask again every time, so it can be undone at once."
        }
      />
      {routing.primary === domain.host && (
        <p class="quiet">{domain.host} is then no longer the primary domain.</p>
      )}
    </FormDialog>
  );
}

async function redirect(
  { slug, domain: { host }, routing, onRouting }: RedirectDialogProps,
  to: string,
  status: number,
): Promise<void> {
  onRouting(await saveRouting(slug, withRedirect(routing, host, to.trim(), status)));
}

interface TargetFieldProps extends RedirectDialogProps {
  readonly label: string;
  readonly to: string;
  readonly onTo: (host: string) => void;
}

/** Typed, since there may be thousands; those on the screen are suggested. */
function TargetField({ label, to, onTo, domain, seen, routing }: TargetFieldProps) {
  const { host } = domain;
  const named = [routing.primary ?? "", ...routing.redirects.map((redirect) => redirect.to)];
  const hosts = new Set([...named, ...seen.map((each) => each.host)]);
  return (
    <>
      <TextField
        label={label}
        value={to}
        onText={onTo}
        suggestions={[...hosts].filter((each) => each !== "" && each !== host)}
        autocapitalize="none"
        autocomplete="off"
        mono
        required
        hint="Another domain of this project."
      />
      <NotServed target={seen.find((each) => each.host === to)} />
      {routing.redirects.some((each) => each.from === to && each.to === host) && (
        <p class="quiet">{to} redirects here. That ends: it then shows the site.</p>
      )}
    </>
  );
}

/** Nobody is led to a host name that is not served. */
function NotServed({ target }: { target: Domain | undefined }) {
  if (target === undefined || isServed(target)) return null;
  return (
    <Notice tone="waiting" title={`${target.host} is not live: ${statusOf(target).label}`}>
      <p>The redirect is held until it is: visitors see the site until then.</p>
    </Notice>
  );
}

type RemoveDomainProps = RedirectDialogProps & { readonly onRemoved: (domain: Domain) => void };

/** Lists what stops working before it does, and offers a redirect instead. */
export function RemoveDomain(props: RemoveDomainProps) {
  const { slug, domain, routing, onRemoved } = props;
  const { host } = domain;
  const served = isServed(domain);
  const remove = async () => {
    await call("delete", "/projects/{project}/domains/{host}", {
      path: { project: slug, host },
      query: { confirm: true },
    });
    onRemoved(domain);
    return `${host} was removed.${served ? " It is no longer served." : ""}`;
  };
  const dependents = routing.redirects.filter(({ to }) => to === host).map(({ from }) => from);
  return (
    <FormDialog
      title={`Remove ${host}?`}
      submit="Remove domain"
      danger
      keep="Keep it"
      onSubmit={remove}
    >
      <p>This will stop at once, on every edge:</p>
      <ul class="stops">
        {served ? (
          <>
            <li>
              <code>https://{host}</code> stops responding.
            </li>
            <li>Its certificate is no longer used or renewed.</li>
          </>
        ) : (
          <li>Its DNS is no longer checked and its certificate no longer renewed.</li>
        )}
        {routing.primary === host && <li>The project no longer has a primary domain.</li>}
        {dependents.map((from) => (
          <li key={from}>
            The redirect from <code>{from}</code> goes with it: <code>{from}</code> then shows the
            site instead.
          </li>
        ))}
      </ul>
      <p class="quiet">
        Then delete its record at your DNS provider: a name that points here without being attached
        can be claimed by someone else later.
      </p>
      {served && dependents.length === 0 && <InsteadRedirect {...props} />}
    </FormDialog>
  );
}

/** To another project of the owner that has something to show. */
export function MoveDomain({ slug, domain, routing, onRemoved }: RemoveDomainProps) {
  const { host } = domain;
  const projects = useGet("/projects", {});
  const [chosen, choose] = useState("");
  const owner = projects.data?.find((each) => each.slug === slug)?.owner;
  const others = (projects.data ?? []).filter(
    (each) => each.owner === owner && each.slug !== slug && each.current !== null,
  );
  const to = chosen || (others[0]?.slug ?? "");
  const inUse =
    routing.primary === host ||
    routing.redirects.some((each) => each.from === host || each.to === host);
  const move = async () => {
    const path = { project: slug, host };
    const body = { project: to, confirm: true };
    await call("post", "/projects/{project}/domains/{host}/move", { path, body });
    onRemoved(domain);
    return `${host} was moved to ${to}.`;
  };
  if (projects.data !== undefined && others.length === 0) {
    return (
      <Dialog title={`Move ${host}`}>
        <p>
          There is no other project of the same owner that shows something. Create one and deploy it
          first.
        </p>
      </Dialog>
    );
  }
  return (
    <FormDialog title={`Move ${host}`} submit="Move domain" onSubmit={move}>
      <ChoiceField
        label="To project"
        value={to}
        options={Object.fromEntries(others.map((each) => [each.slug, each.slug]))}
        onChoice={choose}
        hint="It is served all the while, with the same certificate and the same DNS record."
      />
      {inUse && (
        <p class="quiet">
          The primary domain and redirects of {slug} then no longer name {host}.
        </p>
      )}
    </FormDialog>
  );
}

const hstsHints: Readonly<Record<HstsPolicy, string>> = {
  off: "Browsers are told to forget it. Each does at its next visit, and until then insists for as long as it was told before.",
  day: "Protects returning visitors, and binds you for a day only if you move elsewhere.",
  year: "Once a browser has seen it, it refuses plain HTTP for a year, wherever the name points by then. It cannot be taken back from a browser that does not return.",
  subdomains:
    "Also for every name below this one, whoever serves it: one that has no HTTPS cannot be reached any more, for up to a year. Choose it only if all of them have HTTPS.",
};

interface HstsDialogProps {
  readonly slug: string;
  readonly domain: Domain;
  readonly onChanged: (domain: Domain) => void;
}

export function HstsDialog({ slug, domain, onChanged }: HstsDialogProps) {
  const { host } = domain;
  const [hsts, choose] = useState(domain.hsts);
  const save = async () => {
    const path = { project: slug, host };
    onChanged(
      await call("put", "/projects/{project}/domains/{host}/hsts", { path, body: { hsts } }),
    );
    return `${host}: HTTPS only ${hstsLabels[hsts].toLowerCase()}.`;
  };
  return (
    <FormDialog title={`HTTPS only for ${host}`} submit="Save" onSubmit={save}>
      <p>
        Visitors are always led to HTTPS. With <code>Strict-Transport-Security</code>, their
        browsers also remember to use nothing else.
      </p>
      <ChoiceField
        label="Browsers remember it"
        value={hsts}
        options={hstsLabels}
        onChoice={choose}
        hint={hstsHints[hsts]}
      />
    </FormDialog>
  );
}

/** Old links keep working as long as the host name is served. */
function InsteadRedirect(props: RedirectDialogProps) {
  const { domain, seen, routing } = props;
  const { host } = domain;
  const [target, setTarget] = useState(likelyTarget(host, routing, seen));
  const [offered] = useState(target !== "" && domain.role.kind !== "redirect");
  const { run, busy, error } = useAction();
  if (!offered) return null;
  const save = () =>
    run(async () => {
      await redirect(props, target, 301);
      closeDialog();
      notify(`${host} redirects to ${target} now. Nothing was removed.`);
    });
  return (
    <div class="instead">
      <p>
        <strong>Keep old links working?</strong> Redirect it instead, and remove it when it no
        longer gets traffic.
        {routing.primary === host && " It is then no longer the primary domain."}
      </p>
      <TargetField label="Redirect to" to={target} onTo={setTarget} {...props} />
      <ErrorMessage error={error} />
      <Button kind="primary" onClick={save} busy={busy}>
        Redirect instead
      </Button>
    </div>
  );
}
