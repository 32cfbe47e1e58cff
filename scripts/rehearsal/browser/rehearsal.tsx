/** The screen of a rehearsal: the steps to take, the zone to edit, and a visit to the site. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Domain } from "../../../src/contract/generated/platform.ts";
import { notify } from "../../../src/dashboard/browser/announce.ts";
import { extraScreens } from "../../../src/dashboard/browser/app.tsx";
import { isServed } from "../../../src/dashboard/browser/domains/status.ts";
import { call, request } from "../../../src/dashboard/browser/http.ts";
import { Button, CopyButton, Icon } from "../../../src/dashboard/browser/parts/buttons.tsx";
import { FormDialog, openDialog } from "../../../src/dashboard/browser/parts/dialog.tsx";
import { ChoiceField, TextField } from "../../../src/dashboard/browser/parts/form.tsx";
import { Day } from "../../../src/dashboard/browser/parts/format.tsx";
import {
  Badge,
  ErrorMessage,
  Loadable,
  Notice,
  Skeleton,
} from "../../../src/dashboard/browser/parts/notice.tsx";
import { Page } from "../../../src/dashboard/browser/parts/page.tsx";
import { Table } from "../../../src/dashboard/browser/parts/table.tsx";
import { domainsLink } from "../../../src/dashboard/browser/route.ts";
import { useAction, useGet, useLoaded } from "../../../src/dashboard/browser/useApi.ts";
import type { RehearsalView, Visit } from "../view.ts";
import type { EditableType, ZoneRecord } from "../zones.ts";

const api = "/internal/v1/rehearsal";
const refreshMs = 2_000;

function Rehearsal() {
  const load = (signal: AbortSignal) => request("get", api, { signal }) as Promise<RehearsalView>;
  // Again and again: a script may edit the zone, too.
  const view = useLoaded(api, load, refreshMs);
  return (
    <Page
      title="Rehearsal"
      lead="Try custom domains with a name server and a certificate authority that exist on this machine alone."
    >
      <Loadable of={view} skeleton={<Skeleton rows={5} tall />}>
        {(shown) => <Parts view={shown} onChanged={view.reload} />}
      </Loadable>
    </Page>
  );
}

interface PartsProps {
  readonly view: RehearsalView;
  readonly onChanged: () => void;
}

function Parts({ view, onChanged }: PartsProps) {
  const asked = { path: { project: view.project }, query: { search: view.host } };
  const domains = useGet("/projects/{project}/domains", asked, refreshMs);
  const [visit, setVisit] = useState<Visit>();
  const domain = domains.data?.items.find(({ host }) => host === view.host);
  return (
    <>
      <Steps view={view} domain={domain} visited={visit?.response !== undefined} />
      <ZoneEditor view={view} onChanged={onChanged} />
      <Visiting view={view} visit={visit} onVisit={setVisit} />
    </>
  );
}

interface StepsProps {
  readonly view: RehearsalView;
  readonly domain: Domain | undefined;
  readonly visited: boolean;
}

function Steps({ view: { host, project, records }, domain, visited }: StepsProps) {
  const domains = <a href={domainsLink(project)}>Domains</a>;
  const wanted = domain?.records ?? [];
  const old = records.filter(({ name, type }) => name === host && type === "A");
  const isThere = wanted.every(({ type, value }) =>
    records.some((each) => each.type === type && each.value === value),
  );
  const live = domain !== undefined && isServed(domain);
  const steps: readonly (readonly [done: boolean, content: ComponentChildren])[] = [
    [
      domain !== undefined,
      <>
        Under {domains}, choose “Add domain” and enter <Copied text={host} what="the name" />
      </>,
    ],
    [
      domain?.checkedAt != null,
      <>
        There, choose “Verify now”. The old A record of {host} is found where the new record
        belongs.
      </>,
    ],
    [
      domain !== undefined && isThere && old.length === 0,
      <>
        In the zone below, delete that A record and create the record that the domain shows.
        {old.length === 0 &&
          wanted.map(({ type, name, value }) => (
            <span class="wanted" key={type}>
              <code>
                {type} {name}
              </code>
              <Copied text={value} what="the value" />
            </span>
          ))}
      </>,
    ],
    [live, <>Under {domains}, verify again. The certificate follows within seconds.</>],
    [live && visited, <>Visit {host} over HTTPS, at the end of this page.</>],
  ];
  const at = steps.findIndex(([done]) => !done);
  return (
    <>
      <ol class="rehearsal-steps" aria-label="Steps">
        {steps.map(([done, content], index) => (
          <li
            key={index}
            class={done ? "done" : index === at ? "now" : "coming"}
            aria-current={index === at ? "step" : undefined}
          >
            <span class="step-mark" aria-hidden="true">
              {done ? <Icon name="tick" /> : index + 1}
            </span>
            <span>
              {content}
              {done && <span class="visually-hidden"> Done.</span>}
            </span>
          </li>
        ))}
      </ol>
      {at === -1 && (
        <Notice tone="fine" title="From an old record to HTTPS: that was all">
          <p>
            A name of your own takes the same steps at your DNS provider. The{" "}
            <a href="/docs/guide/domains/">guide to custom domains</a> has the details, such as apex
            names, CAA records and redirects, which can be tried here as well.
          </p>
        </Notice>
      )}
    </>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span class="copied">
      <code>{text}</code>
      <CopyButton text={text} what={`${what} ${text}`} />
    </span>
  );
}

function ZoneEditor({ view: { zone, records }, onChanged }: PartsProps) {
  const work = useAction();
  const remove = ({ id, name, type }: ZoneRecord) =>
    work.run(async () => {
      await request("delete", `${api}/records/${id}`);
      onChanged();
      notify(`The ${type} record of ${name} was deleted.`);
    });
  const sorted = records.toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <section class="zone" aria-labelledby="zone">
      <div class="section-head">
        <h2 id="zone">
          Zone <code>{zone}</code>
        </h2>
        <Button onClick={() => openDialog(<AddRecord zone={zone} onAdded={onChanged} />)}>
          Add record
        </Button>
      </div>
      <ErrorMessage error={work.error} />
      <Table
        caption={`Records of ${zone}`}
        rows={sorted}
        keyOf={({ id }) => String(id)}
        columns={[
          { head: "Name", names: true, cell: ({ name }) => <code>{shortName(name, zone)}</code> },
          { head: "Type", cell: ({ type }) => <code>{type}</code> },
          { head: "Value", cell: ({ value }) => <code class="value">{value}</code> },
          {
            head: "Delete",
            end: true,
            cell: (record) => (
              <Button label={`Delete ${record.type} ${record.name}`} onClick={() => remove(record)}>
                Delete
              </Button>
            ),
          },
        ]}
      />
    </section>
  );
}

/** As providers show it. */
const shortName = (name: string, zone: string): string =>
  name === zone ? "@" : name.slice(0, -zone.length - 1);

const types: Readonly<Record<EditableType, string>> = {
  CNAME: "CNAME",
  ALIAS: "ALIAS",
  A: "A",
  AAAA: "AAAA",
  TXT: "TXT",
  CAA: "CAA",
};

const examples: Readonly<Record<EditableType, string>> = {
  CNAME: "sites.example.com",
  ALIAS: "sites.example.com",
  A: "192.0.2.7",
  AAAA: "2001:db8::7",
  TXT: "v=spf1 -all",
  CAA: '0 issue "ca.example.com"',
};

function AddRecord({ zone, onAdded }: { zone: string; onAdded: () => void }) {
  const [type, setType] = useState<EditableType>("CNAME");
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const add = async () => {
    await request("post", `${api}/records`, { body: { name, type, value } });
    onAdded();
    return `The ${type} record was created.`;
  };
  return (
    <FormDialog title="Add record" submit="Add record" onSubmit={add}>
      <ChoiceField label="Type" value={type} options={types} onChoice={setType} />
      <TextField
        label="Name"
        value={name}
        onText={setName}
        placeholder="docs"
        autocapitalize="none"
        mono
        required
        hint={`Below ${zone}, or @ for ${zone} itself.`}
      />
      <TextField
        label="Value"
        value={value}
        onText={setValue}
        placeholder={examples[type]}
        autocapitalize="none"
        mono
        required
      />
    </FormDialog>
  );
}

interface VisitingProps {
  readonly view: RehearsalView;
  readonly visit: Visit | undefined;
  readonly onVisit: (visit: Visit) => void;
}

function Visiting({ view: { host, commands }, visit, onVisit }: VisitingProps) {
  const [typed, setTyped] = useState(host);
  const work = useAction();
  const go = () =>
    work.run(async () => {
      const body = { host: typed.trim().toLowerCase() };
      onVisit((await request("post", `${api}/visit`, { body })) as Visit);
    });
  return (
    <section aria-labelledby="visit">
      <h2 id="visit">Visit over HTTPS</h2>
      <p>
        As a browser does it: look the name up, check the certificate, ask for the page. Here it is
        done for you, with the rehearsal’s name server and authority.
      </p>
      <form
        class="visit"
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <input
          class="mono"
          aria-label="Host name to visit"
          value={typed}
          spellcheck={false}
          autocapitalize="none"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" kind="primary" busy={work.busy}>
          Visit
        </Button>
      </form>
      <ErrorMessage error={work.error} />
      <div role="status">{visit !== undefined && <Outcome visit={visit} />}</div>
      <p>
        To do it yourself, with this rehearsal’s root certificate and without a change to your
        system:
      </p>
      {Object.entries(commands).map(([name, command]) => (
        <p class="secret command" key={name}>
          <code>{command}</code>
          <CopyButton text={command} what={`the command of ${name}`} />
        </p>
      ))}
    </section>
  );
}

function Outcome({ visit: { url, records, certificate, response, failure } }: { visit: Visit }) {
  return (
    <div class="outcome">
      <p>
        {response === undefined ? (
          <Badge tone="trouble">Not reached</Badge>
        ) : (
          <Badge tone="fine">{`Status ${response.status}`}</Badge>
        )}{" "}
        <code>{url}</code>
      </p>
      <dl>
        <dt>DNS</dt>
        <dd>
          {records.length === 0
            ? "No record"
            : records.map((record) => (
                <code class="value" key={record}>
                  {record}
                </code>
              ))}
        </dd>
        {certificate && (
          <>
            <dt>Certificate</dt>
            <dd>
              by {certificate.issuer}, valid until <Day at={certificate.validUntilMs} />
            </dd>
          </>
        )}
        {response && (
          <>
            <dt>Page</dt>
            <dd>{response.title}</dd>
          </>
        )}
      </dl>
      {failure !== undefined && <p>{failure}</p>}
    </div>
  );
}

extraScreens.push({ path: "rehearsal", label: "Rehearsal", Screen: Rehearsal });

/** The link that the start prints has the name and the password of the owner at its end. */
const link = () => /^#\/rehearsal\/([^/]+)\/(.+)$/.exec(location.hash);

addEventListener("hashchange", () => {
  if (link() !== null) location.reload();
});
const [, name = "", password] = link() ?? [];
if (password !== undefined) {
  history.replaceState(null, "", "#/rehearsal");
  // A link of an earlier rehearsal leads to the form for signing in.
  await call("post", "/session", { body: { name, password }, signsIn: true }).catch(() => {});
}
