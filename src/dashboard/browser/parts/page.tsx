/** The frame of a screen: breadcrumbs, title, main action and tabs. */
import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { OpenDialog } from "./dialog.tsx";

export interface Crumb {
  readonly label: string;
  readonly href: string;
}

interface PageProps {
  readonly title: string;
  /** Outermost first. */
  readonly crumbs?: readonly Crumb[];
  readonly action?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Whether this is not the first screen. */
let navigated = false;

/** The next screen results from an action of the user. */
export function markNavigation(): void {
  navigated = true;
}

export function Page({ title, crumbs = [], action, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const whole = [...crumbs.map(({ label }) => label), title].join(" › ");
  useEffect(() => {
    document.title = `${whole} · Pet Store`;
  }, [whole]);
  useEffect(() => {
    // Screen readers continue at the heading, except on the first screen.
    if (navigated) heading.current?.focus({ preventScroll: true });
    markNavigation();
    scrollTo(0, 0);
    return keepFocus(() => heading.current);
  }, []);
  return (
    <div class="page">
      <div class="page-head">
        <div class="page-title">
          {crumbs.length > 0 && (
            <nav class="crumbs" aria-label="You are in">
              {crumbs.map(({ label, href }) => (
                <Fragment key={href}>
                  <a href={href}>{label}</a>
                  <span aria-hidden="true">›</span>
                </Fragment>
              ))}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {action !== undefined && <div class="actions">{action}</div>}
      </div>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
      <OpenDialog />
    </div>
  );
}

/** When the focused element is removed, the fallback gets the focus. */
function keepFocus(standIn: () => HTMLElement | null): () => void {
  let last: EventTarget | null = null;
  const onFocus = ({ target }: Event) => {
    last = target;
  };
  // A click elsewhere gives up the focus on purpose.
  const onPoint = () => {
    last = null;
  };
  const watcher = new MutationObserver(() => {
    if (!(last instanceof Node) || last.isConnected) return;
    last = null;
    if (document.activeElement === document.body) standIn()?.focus({ preventScroll: true });
  });
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", onPoint);
  watcher.observe(document.body, { childList: true, subtree: true });
  return () => {
    watcher.disconnect();
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPoint);
  };
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: Readonly<Record<Name, readonly [href: string, label: string]>>;
  readonly at: Name;
}

/** Links between screens that belong together. */
export function Tabs<Name extends string>({ label, tabs, at }: TabsProps<Name>) {
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries<readonly [string, string]>(tabs).map(([name, [href, label]]) => (
        <a key={name} href={href} aria-current={name === at ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
