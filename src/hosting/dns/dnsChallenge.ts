/** Publishes the TXT record of a dns-01 challenge (RFC 8555, section 8.4). */
import type { Clock } from "../../core/clock.ts";
import type { Resolver } from "../domains/resolver.ts";
import { setTxtRecords, type UpdateServer } from "./update.ts";

interface DnsChallengeParts {
  readonly server: UpdateServer;
  readonly resolver: Resolver;
  readonly clock: Clock;
}

const seenMsMax = 60_000;
const askEveryMs = 500;

/** Resolves once every name server of the zone returns it: the authority may query any of them. */
export async function publishTxt(
  name: string,
  value: string,
  { server, resolver, clock }: DnsChallengeParts,
): Promise<void> {
  const found = await resolver.nameServers(name);
  if (found.kind !== "found") throw new Error(`The name servers of ${name} cannot be found.`);
  const { zone, servers } = found;
  await setTxtRecords(server, { zone, name, values: [value] }, clock);
  const endMs = clock.elapsed() + seenMsMax;
  for (;;) {
    const answers = await Promise.all(servers.map((each) => resolver.ask(each, name, "TXT")));
    const behind = servers.filter((_, index) => {
      const answer = answers[index];
      return answer?.kind !== "found" || !answer.records.some((record) => record.value === value);
    });
    if (behind.length === 0) return;
    if (clock.elapsed() >= endMs) {
      const names = behind.map((each) => each.name).join(", ");
      throw new Error(`The update of ${name} was not seen at ${names} within a minute.`);
    }
    await new Promise<void>((resolve) => clock.after(askEveryMs, resolve));
  }
}
