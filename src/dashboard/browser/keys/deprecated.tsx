/** Who still calls what will go away, and when it goes. */
import type { Key } from "../../../contract/generated/platform.ts";
import { amount } from "../parts/amounts.ts";
import { Table } from "../parts/table.tsx";
import { Ago, Day } from "../parts/time.tsx";

export function Deprecated({ keys }: { keys: readonly Key[] }) {
  const uses = keys.flatMap((key) => key.deprecatedUses.map((use) => ({ key, use })));
  return (
    <section aria-labelledby="deprecated-title">
      <h2 id="deprecated-title">Deprecated operations still called</h2>
      {uses.length === 0 ? (
        <p class="quiet">No key has called an operation that will go away.</p>
      ) : (
        <Table
          caption="Deprecated operations still called"
          heads={[
            "Operation",
            "By",
            { words: "Calls", wide: true },
            { words: "Last call", wide: true },
            "Goes away",
          ]}
        >
          {uses.map(({ key, use }) => (
            <tr key={`${key.id} ${use.operation}`}>
              <th scope="row">
                <code>{use.operation}</code>
                <span class="quiet">
                  call <code>{use.successor}</code> instead
                </span>
              </th>
              <td>{key.name}</td>
              <td class="wide">{amount(use.count)}</td>
              <td class="wide">
                <Ago at={use.lastAt} />
              </td>
              <td>
                <Day at={use.sunsetAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
