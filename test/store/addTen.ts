/** Adds ten pets to the database named, as another process than the test, and prints their ids. */
import { systemClock } from "../../src/core/clock.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { doneOf } from "./outcomes.ts";

const stores = await openSqlite(process.argv[2] as string, {
  environment: "production",
  clock: systemClock,
});
for (let count = 0; count < 10; count++) {
  const pet = { name: "Ten", categoryId: 10n, status: "sold" } as const;
  const { id } = doneOf(await stores.catalogue.add(pet));
  console.log(String(id));
}
await stores.close();
