/** What stands where data would be: on its way, refused, or none yet. */
import type { ComponentChildren } from "preact";
import { ApiError, messageOf } from "../http.ts";
import type { Loaded } from "../useApi.ts";
import { Button } from "./buttons.tsx";
import { Notice } from "./notice.tsx";

/** Grey lines of the size of what comes. */
export function Skeleton({ rows = 3, tall = false }: { rows?: number; tall?: boolean }) {
  return (
    <div class={tall ? "skeleton tall" : "skeleton"} role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} aria-hidden="true" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface ShownProps<T> {
  readonly of: Loaded<T>;
  readonly skeleton: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** The data once it is there; with a word above it when what is newer could not be had. */
export function Shown<T>({ of, skeleton, children }: ShownProps<T>) {
  const { data, error, reload, busy } = of;
  return (
    <>
      {error !== undefined && <Failed error={error} busy={busy} retry={reload} old={!!data} />}
      {data === undefined ? error === undefined && skeleton : children(data)}
    </>
  );
}

interface FailedProps {
  readonly error: unknown;
  readonly busy: boolean;
  readonly retry: () => void;
  readonly old: boolean;
}

function Failed({ error, busy, retry, old }: FailedProps) {
  // Another try will not find what is not there or not theirs.
  const final = error instanceof ApiError && (error.status === 404 || error.status === 403);
  return (
    <Notice meaning="trouble" title={old ? "What you see may be old" : "This could not be loaded"}>
      <p>{messageOf(error)}</p>
      {!final && (
        <Button onClick={retry} busy={busy}>
          Try again
        </Button>
      )}
    </Notice>
  );
}
