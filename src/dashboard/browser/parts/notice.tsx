/** Notices, badges and errors, and what is shown where data is missing. */
import type { ComponentChildren } from "preact";
import { ApiError, messageOf } from "../http.ts";
import type { Loaded } from "../useApi.ts";
import { Button } from "./buttons.tsx";

export type Meaning = "fine" | "waiting" | "trouble" | "neutral";

export const marks: Readonly<Record<Meaning, string>> = {
  fine: "●",
  waiting: "◐",
  trouble: "▲",
  neutral: "○",
};

/** A status: a mark and a word, and only then a colour. */
export function Badge({ meaning, children }: { meaning: Meaning; children: ComponentChildren }) {
  return (
    <span class={`badge ${meaning}`}>
      <span aria-hidden="true">{marks[meaning]}</span>
      <span>{children}</span>
    </span>
  );
}

interface NoticeProps {
  readonly meaning: Meaning;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Notice({ meaning, title, children }: NoticeProps) {
  return (
    <div class={`notice ${meaning}`} role={meaning === "trouble" ? "alert" : undefined}>
      <p class="notice-title">
        <span aria-hidden="true">{marks[meaning]}</span>
        <span>{title}</span>
      </p>
      {children}
    </div>
  );
}

/** What was refused, in place; nothing where nothing was. */
export function ErrorMessage({ error }: { error: unknown }) {
  if (error === undefined) return null;
  return (
    <div class="refused" role="alert">
      {messageOf(error)
        .split("\n")
        .map((line) => (
          <p key={line}>
            <span aria-hidden="true">{marks.trouble}</span>
            <span>{line}</span>
          </p>
        ))}
    </div>
  );
}

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
