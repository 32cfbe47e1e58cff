/** The owners of projects: their plans, and their invitations. */
import { useState } from "preact/hooks";
import type { Invitation, Owner, Plan } from "../../contract/generated/platform.ts";
import { emailField } from "./accountEmail.tsx";
import { notify } from "./announce.ts";
import { servedStatuses } from "./domains/status.ts";
import { call } from "./http.ts";
import { Button, CopyButton } from "./parts/buttons.tsx";
import { closeDialog, Dialog, FormDialog, openDialog } from "./parts/dialog.tsx";
import { Choice, ChoiceField, TextField } from "./parts/form.tsx";
import { Ago } from "./parts/format.tsx";
import { Empty, ErrorMessage, Loadable, Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { Table } from "./parts/table.tsx";
import { useAction, useGet, useLoaded } from "./useApi.ts";

export function Owners() {
  const owners = useGet("/owners", {});
  const work = useAction();
  const add = (
    <Button kind="primary" onClick={() => openDialog(<AddOwner onAdded={owners.reload} />)}>
      Add owner
    </Button>
  );
  const invite = (owner: Owner) =>
    work.run(async () => {
      const path = { owner: owner.id };
      const invitation = await call("post", "/owners/{owner}/invite", { path });
      openDialog(<Invited owner={owner} invitation={invitation} />);
    });
  const changePlan = async (owner: Owner, plan: Plan) => {
    await call("put", "/owners/{owner}/plan", { path: { owner: owner.id }, body: { plan } });
    owners.update((all) => all.map((each) => (each.id === owner.id ? { ...each, plan } : each)));
    return `${owner.name} is on the ${plan} plan.`;
  };
  const choosePlan = (owner: Owner, plan: Plan) => {
    const change = () => changePlan(owner, plan);
    if (plan === "free") return openDialog(<MakeFree owner={owner} onFree={change} />);
    work.run(async () => notify(await change()));
  };
  return (
    <Page
      title="Owners"
      lead="An owner manages their own projects and sees nothing else."
      action={add}
    >
      <ErrorMessage error={work.error} />
      <Loadable of={owners} skeleton={<Skeleton rows={3} tall />}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No owner yet">
              <p>Add one, then send them an invitation.</p>
            </Empty>
          ) : (
            <OwnerTable owners={all} onPlan={choosePlan} onInvite={invite} />
          )
        }
      </Loadable>
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
    <Table
      caption="Owners"
      rows={owners}
      keyOf={({ id }) => id}
      columns={[
        {
          head: "Owner",
          names: true,
          cell: ({ id, name }) => (
            <>
              <span class="name">{name}</span>
              <code class="quiet">{id}</code>
            </>
          ),
        },
        {
          head: "E-mail",
          cell: ({ email }) => email ?? <span class="quiet">None</span>,
        },
        {
          head: "Plan",
          cell: (owner) => (
            <Choice
              aria-label={`Plan of ${owner.name}`}
              value={owner.plan}
              options={plans}
              onChoice={(plan) => onPlan(owner, plan)}
            />
          ),
        },
        {
          head: "Invite",
          end: true,
          cell: (owner) => (
            <Button onClick={() => onInvite(owner)} label={`Invite ${owner.name}`}>
              Invite
            </Button>
          ),
        },
      ]}
    />
  );
}

interface InvitedProps {
  readonly owner: Owner;
  readonly invitation: Invitation;
}

function Invited({ owner, invitation: { link, expiresAtMs, mailedTo } }: InvitedProps) {
  return (
    <Dialog title={`Invitation for ${owner.name}`}>
      <p>
        {mailedTo === null
          ? "Send this link over a private channel."
          : `This link is mailed to ${mailedTo}.`}{" "}
        It works once and expires <Ago at={expiresAtMs} />. It lets them choose a password, which
        replaces any earlier one.
      </p>
      <p class="secret">
        <code>{link}</code>
        <CopyButton text={link} what="the link" />
      </p>
      <div class="actions">
        <Button kind="primary" onClick={closeDialog}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

const newOwnerPlans: Readonly<Record<Plan, string>> = {
  free: "Free",
  paid: "Paid, with custom domains",
};

function AddOwner({ onAdded }: { onAdded: () => void }) {
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [plan, setPlan] = useState<Plan>("free");
  const add = async () => {
    const body = { id, name, plan, email: email.trim() === "" ? null : email };
    await call("post", "/owners", { body });
    onAdded();
    return `${name} was added. Invite them next.`;
  };
  return (
    <FormDialog title="Add owner" submit="Add owner" onSubmit={add}>
      <TextField label="Name" value={name} onText={setName} placeholder="Acme" required />
      <TextField
        label="Id"
        value={id}
        onText={setId}
        placeholder="acme"
        autocapitalize="none"
        mono
        required
        hint="Their username. Lower-case letters, digits and hyphens."
      />
      <TextField
        {...emailField}
        autocomplete="off"
        value={email}
        onText={setEmail}
        hint="Where their notifications go. Optional."
      />
      <ChoiceField label="Plan" value={plan} options={newOwnerPlans} onChoice={setPlan} />
    </FormDialog>
  );
}

interface MakeFreeProps {
  readonly owner: Owner;
  readonly onFree: () => Promise<string>;
}

/** Lists what stops working before an owner goes back to the free plan. */
function MakeFree({ owner, onFree }: MakeFreeProps) {
  const served = useLoaded(`served of ${owner.id}`, (signal) => servedOf(owner, signal));
  return (
    <FormDialog
      title={`Change ${owner.name} to the free plan?`}
      submit="Change to the free plan"
      danger
      keep="Keep the paid plan"
      onSubmit={onFree}
    >
      <p>
        Domains need the paid plan: those of {owner.name} stop responding at once. They stay
        attached, and are served again with the paid plan.
      </p>
      {served.data !== undefined && <Stopping hosts={served.data} />}
    </FormDialog>
  );
}

const namesMax = 5;
const servedMax = 200;

function Stopping({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return <p>None of them is live now.</p>;
  const more = hosts.length - namesMax;
  return (
    <>
      <p>
        {hosts.length === 1
          ? "One is live now:"
          : `${hosts.length === servedMax ? "At least " : ""}${hosts.length} are live now:`}
      </p>
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
  const query = { owner: owner.id, status: servedStatuses, limit: servedMax };
  const { items } = await call("get", "/domains", { query, signal });
  return items.map(({ host }) => host);
}
