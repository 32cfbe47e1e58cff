/** Says what will stop before an owner goes back to the free plan. */
import type { Owner } from "../../../contract/generated/platform.ts";
import { isServed } from "../domains/statusWords.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useLoaded } from "../useApi.ts";

interface MakeFreeProps {
  readonly owner: Owner;
  readonly busy: boolean;
  readonly onFree: () => void;
  readonly onClose: () => void;
}

const namesMax = 5;

export function MakeFree({ owner, busy, onFree, onClose }: MakeFreeProps) {
  const served = useLoaded(`served of ${owner.id}`, (signal) => servedOf(owner, signal));
  return (
    <Dialog title={`Change ${owner.name} to the free plan?`} onClose={onClose}>
      <p>
        Domains need the paid plan: those of {owner.name} stop being answered at once. They stay
        attached, and come back by themselves with the paid plan.
      </p>
      {served.data !== undefined && <Stopping hosts={served.data} />}
      <div class="actions">
        <Button kind="danger" onClick={onFree} busy={busy}>
          Change to the free plan
        </Button>
        <Button onClick={onClose} safe>
          Keep the paid plan
        </Button>
      </div>
    </Dialog>
  );
}

function Stopping({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return <p>None of them is live now.</p>;
  const more = hosts.length - namesMax;
  return (
    <>
      <p>{hosts.length === 1 ? "One is live now:" : `${hosts.length} are live now:`}</p>
      <ul class="stops">
        {hosts.slice(0, namesMax).map((host) => (
          <li key={host}>
            <code>{host}</code>
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </>
  );
}

async function servedOf(owner: Owner, signal: AbortSignal): Promise<readonly string[]> {
  const [{ certificates }, projects] = await Promise.all([
    call("get", "/overview", { signal }),
    call("get", "/projects", { signal }),
  ]);
  const own = new Set(projects.filter((each) => each.owner === owner.id).map(({ slug }) => slug));
  return certificates
    .filter((each) => own.has(each.project) && isServed(each))
    .map(({ host }) => host);
}
