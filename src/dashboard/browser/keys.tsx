/** API keys: their scopes, their use and their expiry. */
import { useState } from "preact/hooks";
import type { Key } from "../../contract/generated/platform.ts";
import { CreateKey, RevokeKey, RotateKey } from "./keyDialogs.tsx";
import { Button } from "./parts/buttons.tsx";
import { openDialog } from "./parts/dialog.tsx";
import { Ago, amount, Day } from "./parts/format.tsx";
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
