/** Opens the database at the address named, adds ten pets and prints their ids. */
import { systemClock } from "../../src/core/clock.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";

const [, , address = ""] = process.argv;
const settings = { address, connectionsMax: 2, namedStatements: false };
const stores = await openPostgres(settings, { environment: "production", clock: systemClock });
for (let count = 0; count < 10; count++) {
  const outcome = await stores.catalogue.add({ name: "x", categoryId: 1n, status: "available" });
  if (outcome.kind === "done") console.log(String(outcome.id));
}
await stores.close();
