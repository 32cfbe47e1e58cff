/** Adds ten pets to the database named, as another process than the test, and prints their ids. */
import { openSqlite } from "../../src/sqlite/store.ts";

const stores = await openSqlite(process.argv[2] as string, { environment: "production" });
for (let count = 0; count < 10; count++) {
  const { id } = await stores.catalogue.add({ name: "Ten", categoryId: 10n, status: "sold" });
  console.log(String(id));
}
await stores.close();
