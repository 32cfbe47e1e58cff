/** Notices, badges and errors, and what is shown where data is missing. */
import type { ComponentChildren } from "preact";
import type { Tone } from "../../../docs/icons.ts";
import { ApiError, messageOf } from "../http.ts";
import type { Loaded } from "../useApi.ts";
import { Button, Icon } from "./buttons.tsx";

/** A status, never by its colour alone. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={tone} />
      <span>{children}</span>
    </span>
  );
}

interface NoticeProps {
  readonly tone: Tone;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === "trouble" ? "alert" : undefined}>
      <p class="notice-title">
        <Icon name={tone} />
        <span>{title}</span>
      </p>
      {children}
    </div>
  );
}

/** An error beside what caused it; nothing if there is none. */
export function ErrorMessage({ error }: { error: unknown }) {
  if (error === undefined) return null;
  return (
    <div class="refused" role="alert">
      {messageOf(error)
        .split("\n")
        .map((line) => (
          <p key={line}>
            <Icon name="trouble" />
            <span>{line}</span>
          </p>
        ))}
    </div>
  );
}

/** Grey bars of about the size of the content. */
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

interface LoadableProps<T> {
  readonly of: Loaded<T>;
  readonly skeleton: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** The data once it is loaded, with a notice above it if a later load failed. */
export function Loadable<T>({ of, skeleton, children }: LoadableProps<T>) {
  const { data, error } = of;
  return (
    <>
      {error !== undefined && <Failed {...of} />}
      {data === undefined ? error === undefined && skeleton : children(data)}
    </>
  );
}

function Failed({ data, error, busy, reload }: Omit<Loaded<unknown>, "update">) {
  // Retrying does not help if it does not exist or is not permitted.
  const final = error instanceof ApiError && (error.status === 404 || error.status === 403);
  return (
    <Notice
      tone="trouble"
      title={data ? "This data may be out of date" : "This could not be loaded"}
    >
      <p>{messageOf(error)}</p>
      {!final && (
        <Button onClick={reload} busy={busy}>
          Try again
        </Button>
      )}
    </Notice>
  );
}
