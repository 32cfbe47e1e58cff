/** Says `served` once the host named is answered for, and `gone` once it is not any more. */
import { systemClock } from "../../src/core/clock.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import { eventually } from "../../testkit/eventually.ts";

const [, , address = "", host = ""] = process.argv;
const settings = { address, connectionsMax: 2, namedStatements: true };
const stores = await openPostgres(settings, { environment: "production", clock: systemClock });

async function until(served: boolean): Promise<void> {
  const { edgeView } = stores;
  await eventually(async () => {
    const found = await Promise.all([edgeView.route(host), edgeView.certificate(host)]);
    return found.every((each) => (each !== undefined) === served);
  });
}

await until(true);
console.log("served");
await until(false);
console.log("gone");
await stores.close();
