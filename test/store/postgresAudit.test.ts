import { expect, test } from "bun:test";
import { verify } from "../../src/audit/auditLog.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { describeAudit } from "./audit.suite.ts";
import { rejectionOf } from "./rejection.ts";

const database = usePostgres({ migrated: true });
describeAudit("PostgreSQL", () => database.open());

test("the audit log is not changed, cut or emptied by a statement of its own", async () => {
  const stores = await database.open();
  await stores.sites.addOwner({ id: "acme", name: "Acme", plan: "free" });
  for (const statement of [
    "UPDATE audit_log SET actor = 'x'",
    "DELETE FROM audit_log",
    "TRUNCATE audit_log",
  ]) {
    const refused = await rejectionOf(database.server.query(statement, database.address));
    expect(String(refused)).toContain("The audit log is append-only.");
  }
  expect(await verify(stores.audit)).toMatchObject({ entries: 1, fault: undefined });
});
