/** What edges tell of themselves. These run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import type { Edge } from "../domains/edgeView.ts";

export function edgeCommands(db: DatabaseSync) {
  const write = db.prepare(
    `INSERT INTO edges (id, address, http_port, revision, seen_at_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET address = excluded.address, http_port = excluded.http_port,
       revision = excluded.revision, seen_at_ms = excluded.seen_at_ms`,
  );
  const remove = db.prepare("DELETE FROM edges WHERE id = ?");

  return {
    reportEdge({ id, address, httpPort, revision, seenAtMs }: Edge): void {
      write.run(id, address, httpPort, revision, seenAtMs);
    },

    forgetEdge(id: string): void {
      remove.run(id);
    },
  };
}
