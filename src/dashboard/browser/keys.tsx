/** API keys: their scopes, their use and their expiry. */
import { useState } from "preact/hooks";
import type { Key, MintedKey } from "../../contract/generated/platform.ts";
import { CreateKey, NewKey, RevokeKey, RotateKey } from "./keyDialogs.tsx";
import { Button } from "./parts/buttons.tsx";
import { Ago, amount, Day } from "./parts/format.tsx";
import { Menu, type MenuItem } from "./parts/menu.tsx";
import { Badge, Empty, Loadable, Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { Table } from "./parts/table.tsx";
import { useGet } from "./useApi.ts";

type OpenDialog =
  | { readonly kind: "create" }
  | { readonly kind: "rotate" | "revoke"; readonly key: Key }
  | { readonly kind: "shown"; readonly minted: MintedKey };

export function Keys() {
  const keys = useGet("/keys", {}, 15_000);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [ended, showEnded] = useState(false);
  const [pagesShown, showPages] = useState(false);
  const create = (
    <Button kind="primary" onClick={() => setDialog({ kind: "create" })}>
      Create key
    </Button>
  );
  const minted = (key: MintedKey) => {
    keys.reload();
    setDialog({ kind: "shown", minted: key });
  };
  const close = () => setDialog(undefined);
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
                <KeyTable keys={[...shown].reverse()} setDialog={setDialog} />
              )}
              {own.length > active.length && (
                <p>
                  <button type="button" class="plain" onClick={() => showEnded(!ended)}>
                    {ended
                      ? "Hide ended keys"
                      : `Show ${own.length - active.length} ended ${own.length - active.length === 1 ? "key" : "keys"}`}
                  </button>
                </p>
              )}
              {pages.length > 0 && (
                <p>
                  <button
                    type="button"
                    class="plain"
                    aria-expanded={pagesShown}
                    onClick={() => showPages(!pagesShown)}
                  >
                    {pages.length} {pages.length === 1 ? "key" : "keys"} of this dashboard's own
                    sessions
                  </button>
                </p>
              )}
              <Deprecated keys={all} />
            </>
          );
        }}
      </Loadable>
      {dialog?.kind === "create" && keys.data && (
        <CreateKey scopes={keys.data.scopes} onCreated={minted} onClose={close} />
      )}
      {dialog?.kind === "rotate" && (
        <RotateKey rotated={dialog.key} onRotated={minted} onClose={close} />
      )}
      {dialog?.kind === "revoke" && (
        <RevokeKey revoked={dialog.key} onRevoked={keys.reload} onClose={close} />
      )}
      {dialog?.kind === "shown" && <NewKey minted={dialog.minted} onClose={close} />}
    </Page>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly setDialog: (dialog: OpenDialog) => void;
}

function KeyTable({ keys, setDialog }: KeyTableProps) {
  const menuOf = (key: Key): MenuItem[] => [
    ...(key.replacedBy === null
      ? [{ label: "Rotate key…", run: () => setDialog({ kind: "rotate", key }) }]
      : []),
    { label: "Revoke key…", run: () => setDialog({ kind: "revoke", key }), danger: true },
  ];
  return (
    <Table
      caption="Keys"
      heads={[
        "Key",
        { label: "Scopes", wide: true },
        { label: "Last used", wide: true },
        "Expires",
        { hidden: "More" },
      ]}
    >
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row">
            <span class="name">{key.name}</span>
            <code class="quiet">{key.hint}</code>
            {key.dashboard && <span class="tag">this dashboard</span>}
            <EndedBadge keyShown={key} />
            <span class="slim quiet">
              <Scopes scopes={key.scopes} />
            </span>
          </th>
          <td class="wide">
            <Scopes scopes={key.scopes} />
          </td>
          <td class="wide">{key.lastUsedAt === null ? "never" : <Ago at={key.lastUsedAt} />}</td>
          <td>{key.expiresAt === null ? "never" : <Ago at={key.expiresAt} />}</td>
          <td class="end">
            {key.state === "active" && (
              <Menu label={`More for ${key.name}, ${key.hint}`} items={menuOf(key)} />
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function EndedBadge({ keyShown: { state, replacedBy } }: { keyShown: Key }) {
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
          heads={[
            "Operation",
            "By",
            { label: "Calls", wide: true },
            { label: "Last call", wide: true },
            "Removed on",
          ]}
        >
          {uses.map(({ key, use }) => (
            <tr key={`${key.id} ${use.operation}`}>
              <th scope="row">
                <code>{use.operation}</code>
                <span class="quiet">
                  call <code>{use.successor}</code> instead
                </span>
              </th>
              <td>{key.name}</td>
              <td class="wide">{amount(use.count)}</td>
              <td class="wide">
                <Ago at={use.lastAt} />
              </td>
              <td>
                <Day at={use.sunsetAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
