/** DNS, certificate, live: what is done, what is being done, what comes. */
import type { Domain } from "../../../contract/generated/platform.ts";
import { TickIcon } from "../parts/icons.tsx";

const names = { dns: "DNS", certificate: "Certificate", live: "Live" } as const;
type Step = keyof typeof names;
const order: readonly Step[] = ["dns", "certificate", "live"];

export function Steps({ step, status }: Pick<Domain, "step" | "status">) {
  if (step === "none") return null;
  const at = order.indexOf(step);
  const done = (index: number) => index < at || status === "live";
  return (
    <ol class="steps" aria-label="Progress">
      {order.map((each, index) => (
        <li
          key={each}
          class={done(index) ? "done" : index === at ? "now" : "coming"}
          aria-current={index === at && !done(index) ? "step" : undefined}
        >
          <span class="step-mark" aria-hidden="true">
            {done(index) ? <TickIcon /> : index + 1}
          </span>
          <span>{names[each]}</span>
          {done(index) && <span class="visually-hidden">, done</span>}
        </li>
      ))}
    </ol>
  );
}
