/** The head of a screen: where it is, its name, and the one thing to do there. */
import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface Crumb {
  readonly words: string;
  readonly href: string;
}

interface PageProps {
  readonly title: string;
  /** What leads here, outermost first. */
  readonly crumbs?: readonly Crumb[];
  readonly action?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Whether somebody has been on another screen before. */
let movedHere = false;

/** The screen that comes next is one that somebody asked for. */
export function leaving(): void {
  movedHere = true;
}

export function Page({ title, crumbs = [], action, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const whole = [...crumbs.map(({ words }) => words), title].join(" › ");
  useEffect(() => {
    document.title = `${whole} · Pet Store`;
  }, [whole]);
  useEffect(() => {
    // A new screen is read from its heading on; the first one from wherever the reader begins.
    if (movedHere) heading.current?.focus({ preventScroll: true });
    leaving();
    scrollTo(0, 0);
    return keepFocus(() => heading.current);
  }, []);
  return (
    <div class="page">
      <div class="page-head">
        <div class="page-title">
          {crumbs.length > 0 && (
            <nav class="crumbs" aria-label="You are in">
              {crumbs.map(({ words, href }) => (
                <Fragment key={href}>
                  <a href={href}>{words}</a>
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
    </div>
  );
}

/** When the element that has the focus goes away, the one that stands in for it gets it. */
function keepFocus(standIn: () => HTMLElement | null): () => void {
  let last: EventTarget | null = null;
  const onFocus = ({ target }: Event) => {
    last = target;
  };
  // Whoever points beside everything has left it of their own accord.
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
  readonly tabs: Readonly<Record<Name, readonly [href: string, words: string]>>;
  readonly at: Name;
}

/** Links between screens that belong together. */
export function Tabs<Name extends string>({ label, tabs, at }: TabsProps<Name>) {
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries<readonly [string, string]>(tabs).map(([name, [href, words]]) => (
        <a key={name} href={href} aria-current={name === at ? "page" : undefined}>
          {words}
        </a>
      ))}
    </nav>
  );
}
