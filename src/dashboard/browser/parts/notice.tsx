/** Something to read: a meaning, a word for it, and what to do. */
import type { ComponentChildren } from "preact";
import { messageOf } from "../http.ts";

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
