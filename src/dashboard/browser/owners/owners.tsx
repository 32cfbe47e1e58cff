/** The owners of projects: their plans, and the links by which they come in. */
import { useState } from "preact/hooks";
import type { Invitation, Owner, Plan } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button, CopyButton } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Shown, Skeleton } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { useAction, useGet } from "../useApi.ts";
import { AddOwner } from "./addOwner.tsx";
import { MakeFree } from "./makeFree.tsx";

type Asking =
  | { readonly kind: "add" }
  | { readonly kind: "free"; readonly owner: Owner }
  | { readonly kind: "invited"; readonly owner: Owner; readonly invitation: Invitation };

export function Owners() {
  const owners = useGet("/owners", {});
  const [asking, ask] = useState<Asking>();
  const work = useAction();
  const add = (
    <Button kind="primary" onClick={() => ask({ kind: "add" })}>
      Add owner
    </Button>
  );
  const invite = (owner: Owner) =>
    work.run(async () => {
      const path = { owner: owner.id };
      const invitation = await call("post", "/owners/{owner}/invite", { path });
      ask({ kind: "invited", owner, invitation });
    });
  const setPlan = (owner: Owner, plan: Plan) =>
    work.run(async () => {
      await call("put", "/owners/{owner}/plan", { path: { owner: owner.id }, body: { plan } });
      owners.update((all) => all.map((each) => (each.id === owner.id ? { ...each, plan } : each)));
      notify(`${owner.name} is on the ${plan} plan.`);
    });
  const choosePlan = (owner: Owner, plan: Plan) =>
    plan === "free" ? ask({ kind: "free", owner }) : void setPlan(owner, plan);
  const close = () => ask(undefined);
  return (
    <Page
      title="Owners"
      lead="An owner has projects, and sees nothing else of this service."
      action={add}
    >
      <ErrorMessage error={work.error} />
      <Shown of={owners} skeleton={<Skeleton rows={3} tall />}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No owner yet">
              <p>Add one, then send them the link by which they choose a password.</p>
            </Empty>
          ) : (
            <OwnerTable owners={all} onPlan={choosePlan} onInvite={invite} />
          )
        }
      </Shown>
      {asking?.kind === "add" && <AddOwner onAdded={owners.reload} onClose={close} />}
      {asking?.kind === "free" && (
        <MakeFree
          owner={asking.owner}
          busy={work.busy}
          onFree={() => void setPlan(asking.owner, "free").then(close)}
          onClose={close}
        />
      )}
      {asking?.kind === "invited" && (
        <Invited owner={asking.owner} invitation={asking.invitation} onClose={close} />
      )}
    </Page>
  );
}

const plans: Readonly<Record<Plan, string>> = { free: "Free", paid: "Paid" };

interface OwnerTableProps {
  readonly owners: readonly Owner[];
  readonly onPlan: (owner: Owner, plan: Plan) => void;
  readonly onInvite: (owner: Owner) => void;
}

function OwnerTable({ owners, onPlan, onInvite }: OwnerTableProps) {
  return (
    <Table caption="Owners" heads={["Owner", "Plan", { hidden: "Invite" }]}>
      {owners.map((owner) => (
        <tr key={owner.id}>
          <th scope="row">
            <span class="name">{owner.name}</span>
            <code class="quiet">{owner.id}</code>
          </th>
          <td>
            <Choice
              aria-label={`Plan of ${owner.name}`}
              value={owner.plan}
              options={plans}
              onChoice={(plan) => onPlan(owner, plan)}
            />
          </td>
          <td class="end">
            <Button onClick={() => onInvite(owner)} label={`Invite ${owner.name}`}>
              Invite
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface InvitedProps {
  readonly owner: Owner;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

function Invited({ owner, invitation: { link, expiresAtMs }, onClose }: InvitedProps) {
  return (
    <Dialog title={`A link for ${owner.name}`} onClose={onClose}>
      <p>
        Send it to them by a way that others do not read. It works once, and ends{" "}
        <Ago at={expiresAtMs} />. With it they choose a password; one they had before is replaced.
      </p>
      <p class="secret">
        <code>{link}</code>
        <CopyButton text={link} what="the link" />
      </p>
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
