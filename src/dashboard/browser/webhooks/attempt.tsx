/** One request of a webhook, and the response to it. */
import type { Attempt, Header } from "../../../contract/generated/platform.ts";
import { Ago } from "../parts/format.tsx";
import { Badge } from "../parts/notice.tsx";

export const isGood = ({ status, error }: Pick<Attempt, "status" | "error">): boolean =>
  error === null && status !== null && status >= 200 && status < 300;

const lines = (headers: readonly Header[]) =>
  headers.map(({ name, value }) => `${name}: ${value}\n`).join("");

/** `body` is that of the request. */
export function AttemptView({ attempt, body }: { attempt: Attempt; body: string }) {
  const { at, durationSeconds, url, requestHeaders, status, headers, error } = attempt;
  const said = status === null ? "No response" : `${status}`;
  return (
    <div class="attempt">
      <p>
        <Badge tone={isGood(attempt) ? "fine" : "trouble"}>{said}</Badge>{" "}
        <span class="quiet">
          <Ago at={at} past /> · {Math.round(durationSeconds * 1_000)} ms
        </span>
      </p>
      {error !== null && <p>{error}</p>}
      <details>
        <summary>Request</summary>
        <pre class="exchange">{`POST ${url}\n${lines(requestHeaders)}\n${body}`}</pre>
      </details>
      {status !== null && (
        <details>
          <summary>Response</summary>
          <pre class="exchange">{`${status}\n${lines(headers)}\n${attempt.body ?? ""}`}</pre>
        </details>
      )}
    </div>
  );
}
