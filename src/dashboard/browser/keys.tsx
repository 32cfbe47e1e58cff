/** API keys: their scopes, their use and their expiry. */
import { useState } from "preact/hooks";
import type { Key, MintedKey } from "../../contract/generated/platform.ts";
import { CreateKey, RevokeKey, RotateKey, ShownOnce } from "./keyDialogs.tsx";
import { Button } from "./parts/buttons.tsx";
import { Ago, amount, Day } from "./parts/format.tsx";
import { Menu, type MenuItem } from "./parts/menu.tsx";
import { Badge, Empty, Shown, Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { Table } from "./parts/table.tsx";
import { useGet } from "./useApi.ts";

type Asking =
  | { readonly kind: "create" }
  | { readonly kind: "rotate" | "revoke"; readonly key: Key }
  | { readonly kind: "shown"; readonly minted: MintedKey };

export function Keys() {
  const keys = useGet("/keys", {}, 15_000);
  const [asking, ask] = useState<Asking>();
  const [ended, showEnded] = useState(false);
  const [pagesShown, showPages] = useState(false);
  const create = (
    <Button kind="primary" onClick={() => ask({ kind: "create" })}>
      Create key
    </Button>
  );
  const minted = (key: MintedKey) => {
    keys.reload();
    ask({ kind: "shown", minted: key });
  };
  const close = () => ask(undefined);
  return (
    <Page title="Keys" lead="A key goes with every request to the API." action={create}>
      <Shown of={keys} skeleton={<Skeleton rows={4} tall />}>
        {({ keys: all }) => {
          const own = all.filter(({ dashboard }) => !dashboard);
          const active = own.filter(({ state }) => state === "active");
          // The page's own keys last an hour: what is past of them is of no interest.
          const pages = all.filter(({ dashboard, state }) => dashboard && state === "active");
          const shown = [...(ended ? own : active), ...(pagesShown ? pages : [])];
          return (
            <>
              {shown.length === 0 ? (
                <Empty title="No active key">
                  <p>Create one for each program that calls the API.</p>
                </Empty>
              ) : (
                <KeyTable keys={[...shown].reverse()} ask={ask} />
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
      </Shown>
      {asking?.kind === "create" && keys.data && (
        <CreateKey scopes={keys.data.scopes} onCreated={minted} onClose={close} />
      )}
      {asking?.kind === "rotate" && (
        <RotateKey rotated={asking.key} onRotated={minted} onClose={close} />
      )}
      {asking?.kind === "revoke" && (
        <RevokeKey revoked={asking.key} onRevoked={keys.reload} onClose={close} />
      )}
      {asking?.kind === "shown" && <ShownOnce minted={asking.minted} onClose={close} />}
    </Page>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly ask: (asking: Asking) => void;
}

function KeyTable({ keys, ask }: KeyTableProps) {
  const menuOf = (key: Key): MenuItem[] => [
    ...(key.replacedBy === null
      ? [{ words: "Rotate key…", run: () => ask({ kind: "rotate", key }) }]
      : []),
    { words: "Revoke key…", run: () => ask({ kind: "revoke", key }), danger: true },
  ];
  return (
    <Table
      caption="Keys"
      heads={[
        "Key",
        { words: "May do", wide: true },
        { words: "Last used", wide: true },
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
  if (state === "revoked") return <Badge meaning="neutral">Revoked</Badge>;
  if (state === "expired") return <Badge meaning="neutral">Expired</Badge>;
  return replacedBy === null ? null : <Badge meaning="waiting">Being replaced</Badge>;
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
      <h2 id="deprecated-title">Deprecated operations still called</h2>
      {uses.length === 0 ? (
        <p class="quiet">No key has called an operation that will go away.</p>
      ) : (
        <Table
          caption="Deprecated operations still called"
          heads={[
            "Operation",
            "By",
            { words: "Calls", wide: true },
            { words: "Last call", wide: true },
            "Goes away",
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
