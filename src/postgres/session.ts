import pg from "pg";
import { ConnectionLost } from "./failures.ts";

export interface Answer<Row extends unknown[]> {
  readonly rows: Row[];
  /** How many rows were read or changed. */
  readonly count: number;
}

/** One connection, for as long as it is lent. One statement at a time. */
export interface Session {
  /** Rows are arrays of their columns. */
  query<Row extends unknown[]>(text: string, values?: readonly unknown[]): Promise<Answer<Row>>;
  /** Statements without values, in one go. Gives back the rows of the last. */
  script(text: string): Promise<unknown[][]>;
}

/** Connections on which the server did not wait for its standbys to have a commit. */
const unreplicated = new WeakSet<pg.ClientBase>();

/**
 * Whoever cancels a commit that waits for a standby makes the server acknowledge it with a mere
 * warning, though the loss of the primary would take it away.
 */
export function heedWarnings(client: pg.ClientBase): void {
  client.on("notice", ({ routine }) => {
    // Its text follows the language of the server.
    if (routine === "SyncRepWaitForLSN") unreplicated.add(client);
  });
}

/** By their text. The texts are constants of this program, so they are few. */
const names = new Map<string, string>();

export function sessionOn(client: pg.ClientBase, named: boolean): Session {
  return {
    async query(text, values = []) {
      const statement = { text, values: values as unknown[], rowMode: "array" as const };
      const result = await sent(
        client,
        client.query(named ? { ...statement, name: nameOf(text) } : statement),
      );
      return { rows: result.rows as never, count: result.rowCount ?? 0 };
    },
    async script(text) {
      const answer = await sent(client, client.query({ text, rowMode: "array" }));
      // Of several statements there is a list of results.
      const last = Array.isArray(answer) ? (answer as pg.QueryArrayResult[]).at(-1) : answer;
      return last?.rows ?? [];
    },
  };
}

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `petstore_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}

/** What goes wrong on the way, as opposed to what the server says, is a lost connection. */
async function sent<T>(client: pg.ClientBase, answer: Promise<T>): Promise<T> {
  try {
    const given = await answer;
    if (!unreplicated.delete(client)) return given;
  } catch (cause) {
    throw cause instanceof pg.DatabaseError ? cause : new ConnectionLost(cause);
  }
  throw new ConnectionLost("The commit was cancelled while it waited for a standby.");
}

/** Arrays go as text: for numbers there is nothing to quote. */
export function int8s(values: readonly (bigint | number)[]): string {
  // Texts first: joining bigints takes three times as long.
  return `{${values.map(String).join(",")}}`;
}
