/** API keys: their scopes, their use and their expiry. */
import { useState } from "preact/hooks";
import type { Key } from "../../contract/generated/platform.ts";
import { CreateKey, RevokeKey, RotateKey } from "./keyDialogs.tsx";
import { Button } from "./parts/buttons.tsx";
import { openDialog } from "./parts/dialog.tsx";
import { Ago, amount, counted, Day } from "./parts/format.tsx";
import { Menu, type MenuItem } from "./parts/menu.tsx";
import { Badge, Empty, Loadable, Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { Table } from "./parts/table.tsx";
import { useGet } from "./useApi.ts";

export function Keys() {
  const keys = useGet("/keys", {}, 15_000);
  const [ended, showEnded] = useState(false);
  const [pagesShown, showPages] = useState(false);
  const { data } = keys;
  const create = data && (
    <Button
      kind="primary"
      onClick={() => openDialog(<CreateKey scopes={data.scopes} onChanged={keys.reload} />)}
    >
      Create key
    </Button>
  );
  return (
    <Page title="Keys" lead="Every request to the API needs a key." action={create}>
      <Loadable of={keys} skeleton={<Skeleton rows={4} tall />}>
        {({ keys: all }) => {
          const own = all.filter(({ dashboard }) => !dashboard);
          const active = own.filter(({ state }) => state === "active");
          // The dashboard's own keys last an hour; expired ones are left out.
          const pages = all.filter(({ dashboard, state }) => dashboard && state === "active");
          const shown = [...(ended ? own : active), ...(pagesShown ? pages : [])];
          return (
            <>
              {shown.length === 0 ? (
                <Empty title="No active key">
                  <p>Create one for each program that calls the API.</p>
                </Empty>
              ) : (
                <KeyTable keys={[...shown].reverse()} onChanged={keys.reload} />
              )}
              {own.length > active.length && (
                <p>
                  <Button kind="plain" onClick={() => showEnded(!ended)}>
                    {ended
                      ? "Hide ended keys"
                      : `Show ${counted(own.length - active.length, "ended key")}`}
                  </Button>
                </p>
              )}
              {pages.length > 0 && (
                <p>
                  <Button kind="plain" expanded={pagesShown} onClick={() => showPages(!pagesShown)}>
                    {counted(pages.length, "key")} of this dashboard's own sessions
                  </Button>
                </p>
              )}
              <Deprecated keys={all} />
            </>
          );
        }}
      </Loadable>
    </Page>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly onChanged: () => void;
}

function KeyTable({ keys, onChanged }: KeyTableProps) {
  const menuOf = (key: Key): MenuItem[] => {
    const dialog = { changed: key, onChanged };
    const revoke = () => openDialog(<RevokeKey {...dialog} />);
    const rotate = () => openDialog(<RotateKey {...dialog} />);
    return [
      ...(key.replacedBy === null ? [{ label: "Rotate key…", run: rotate }] : []),
      { label: "Revoke key…", run: revoke, danger: true },
    ];
  };
  return (
    <Table
      caption="Keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        { head: "Key", names: true, cell: (key) => <KeyName named={key} /> },
        { head: "Scopes", wide: true, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
        { head: "Last used", wide: true, cell: ({ lastUsedAt }) => agoOrNever(lastUsedAt) },
        { head: "Expires", cell: ({ expiresAt }) => agoOrNever(expiresAt) },
        {
          head: "More",
          end: true,
          cell: (key) =>
            key.state === "active" && (
              <Menu label={`More for ${key.name}, ${key.hint}`} items={menuOf(key)} />
            ),
        },
      ]}
    />
  );
}

const agoOrNever = (at: string | null) => (at === null ? "never" : <Ago at={at} />);

function KeyName({ named }: { named: Key }) {
  return (
    <>
      <span class="name">{named.name}</span>
      <code class="quiet">{named.hint}</code>
      {named.dashboard && <span class="tag">this dashboard</span>}
      <EndedBadge {...named} />
      <span class="slim quiet">
        <Scopes scopes={named.scopes} />
      </span>
    </>
  );
}

function EndedBadge({ state, replacedBy }: Pick<Key, "state" | "replacedBy">) {
  if (state === "revoked") return <Badge tone="neutral">Revoked</Badge>;
  if (state === "expired") return <Badge tone="neutral">Expired</Badge>;
  return replacedBy === null ? null : <Badge tone="waiting">Being replaced</Badge>;
}

function Scopes({ scopes }: { scopes: Key["scopes"] }) {
  if (scopes === "all") return <>Everything</>;
  return (
    <span class="scopes">
      {scopes.map((scope) => (
        <code key={scope}>{scope}</code>
      ))}
    </span>
  );
}

/** Which keys still call operations that will be removed, and when. */
function Deprecated({ keys }: { keys: readonly Key[] }) {
  const uses = keys.flatMap((key) => key.deprecatedUses.map((use) => ({ key, use })));
  return (
    <section aria-labelledby="deprecated-title">
      <h2 id="deprecated-title">Deprecated operations in use</h2>
      {uses.length === 0 ? (
        <p class="quiet">No key has called a deprecated operation.</p>
      ) : (
        <Table
          caption="Deprecated operations in use"
          rows={uses}
          keyOf={({ key, use }) => `${key.id} ${use.operation}`}
          columns={[
            {
              head: "Operation",
              names: true,
              cell: ({ use }) => (
                <>
                  <code>{use.operation}</code>
                  <span class="quiet">
                    call <code>{use.successor}</code> instead
                  </span>
                </>
              ),
            },
            { head: "By", cell: ({ key }) => key.name },
            { head: "Calls", wide: true, cell: ({ use }) => amount(use.count) },
            { head: "Last call", wide: true, cell: ({ use }) => <Ago at={use.lastAt} /> },
            { head: "Removed on", cell: ({ use }) => <Day at={use.sunsetAt} /> },
          ]}
        />
      )}
    </section>
  );
}
