/** The DNS records to create, field by field, as providers ask for them. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { DomainDetails, RecordToCreate } from "../../../contract/generated/platform.ts";
import { remember, remembered } from "../../../docs/browser/platform.ts";
import { CopyButton } from "../parts/buttons.tsx";
import { Choice } from "../parts/form.tsx";
import { hintFor, lineFor, type ProviderId, providerNames, providerSeen } from "./providers.ts";

interface RecordsProps {
  readonly host: string;
  readonly records: readonly RecordToCreate[];
  readonly details: DomainDetails | undefined;
  /** They are there, and must stay. */
  readonly settled: boolean;
}

export function Records(props: RecordsProps) {
  if (props.records.length > 0) return <RecordsToCreate {...props} />;
  return (
    <p class="quiet" role="status">
      The certificate authority is being asked which record to create.
    </p>
  );
}

function RecordsToCreate({ host, records, details, settled }: RecordsProps) {
  const [chosen, setChosen] = useState(rememberedProvider);
  const provider = chosen ?? providerSeen(details) ?? "other";
  const choose = (id: ProviderId) => {
    setChosen(id);
    remember("localStorage", "dnsProvider", id);
  };
  const these = records.length === 1 ? "this record" : "these records";
  return (
    <section class="records" aria-label={`Records for ${host}`}>
      <div class="records-head">
        <h4>{`${settled ? "Keep" : "Create"} ${these} at your DNS provider`}</h4>
        {!settled && (
          <Choice
            aria-label="Your DNS provider"
            value={provider}
            options={providerNames}
            onChoice={choose}
          />
        )}
      </div>
      {records.map((record) => (
        <Record key={record.fullName} record={record}>
          {!settled && <Hints record={record} provider={provider} />}
        </Record>
      ))}
    </section>
  );
}

interface RecordProps {
  readonly record: RecordToCreate;
  readonly children: ComponentChildren;
}

function Record({ record, children }: RecordProps) {
  const { type, name, value, ttlSeconds } = record;
  const fields = { Type: type, Name: name, Value: value, TTL: String(ttlSeconds) };
  return (
    <div class="record">
      <dl>
        {Object.entries(fields).map(([label, text]) => (
          <div key={label} class={label === "Value" ? "wide" : undefined}>
            <dt>{label}</dt>
            <dd>
              <code>{text}</code>
              {(label === "Name" || label === "Value") && (
                <CopyButton text={text} what={`the ${label.toLowerCase()} ${text}`} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </div>
  );
}

/** How to create it. */
function Hints({ record, provider }: { record: RecordToCreate; provider: ProviderId }) {
  const line = lineFor(provider, record);
  return (
    <>
      <p class="hint">{hintFor(provider, record)}</p>
      {line !== undefined && (
        <p class="hint whole">
          <code>{line}</code>
          <CopyButton text={line} what={provider === "zone" ? "the line" : "the whole name"} />
        </p>
      )}
      {record.note && <p class="hint">{record.note}</p>}
    </>
  );
}

function rememberedProvider(): ProviderId | undefined {
  const id = remembered("localStorage", "dnsProvider");
  return id !== undefined && Object.hasOwn(providerNames, id) ? (id as ProviderId) : undefined;
}
