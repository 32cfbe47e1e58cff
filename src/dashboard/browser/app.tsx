/** The frame around every screen, and which screen it is. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../contract/generated/platform.ts";
import { otherTheme, switchTheme } from "../../docs/browser/platform.ts";
import { Account } from "./account.tsx";
import { announce, announcement, toast } from "./announce.ts";
import { Orders } from "./catalogue/orders.tsx";
import { Pets } from "./catalogue/pets.tsx";
import { connection } from "./connection.ts";
import { Domains } from "./domains/domains.tsx";
import { Keys } from "./keys.tsx";
import { useObservable } from "./observable.ts";
import { Overview } from "./overview.tsx";
import { Owners } from "./owners.tsx";
import { MarkIcon, ThemeIcon } from "./parts/icons.tsx";
import { Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { ProjectPage } from "./projects/project.tsx";
import { Projects } from "./projects/projects.tsx";
import { go, type Route, route } from "./route.ts";
import { isOperator, lookWhoIsIn, nameOf, session } from "./session.ts";
import { SignIn, Welcome } from "./signIn.tsx";

export function App() {
  const state = useObservable(session);
  const at = useObservable(route);
  if (at.at === "welcome") return frame(<Welcome token={at.token} />);
  if (state.kind === "unknown") return frame(<Opening failed={state.error !== undefined} />);
  if (state.kind === "signed_out") return frame(<SignIn ended={state.ended} />);
  return frame(<Screen at={at} session={state.session} />, state.session, at);
}

/** The first moments, of the size of what comes. */
function Opening({ failed }: { failed: boolean }) {
  if (!failed) return <Skeleton rows={4} tall />;
  return (
    <div class="alone">
      <h1>The dashboard cannot be opened right now</h1>
      <p>
        The service did not answer as it should. It is asked again as soon as it can be reached.
      </p>
      <p>
        <button type="button" class="primary" onClick={() => void lookWhoIsIn()}>
          Try again
        </button>
      </p>
    </div>
  );
}

function Screen({ at, session }: { at: Route; session: Session }) {
  const operator = isOperator(session);
  switch (at.at) {
    case "overview":
      return <Overview operator={operator} />;
    case "projects":
      return <Projects session={session} />;
    case "project":
      return <ProjectPage key={at.slug} slug={at.slug} />;
    case "domains":
      return <Domains key={at.slug} slug={at.slug} operator={operator} />;
    case "account":
      return <Account session={session} />;
    case "keys":
      return operator ? <Keys /> : <NotHere />;
    case "pets":
      return operator ? <Pets /> : <NotHere />;
    case "orders":
      return operator ? <Orders /> : <NotHere />;
    case "owners":
      return operator ? <Owners /> : <NotHere />;
    default:
      return <NotHere />;
  }
}

function NotHere() {
  return (
    <Page title="Page not found">
      <p>The address has a mistake, or this part is for operators only.</p>
      <p>
        <button type="button" class="primary" onClick={() => go("#/")}>
          Go to the overview
        </button>
      </p>
    </Page>
  );
}

function frame(children: ComponentChildren, whose?: Session, at?: Route) {
  return (
    <>
      {/* No link: the fragment of the address says which screen it is. */}
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href="#/">
          <MarkIcon />
          <span>Pet Store</span>
        </a>
        <ThemeSwitch />
        {whose && (
          <a class="button who" href="#/account" aria-label={`Account of ${nameOf(whose)}`}>
            {nameOf(whose)}
          </a>
        )}
      </header>
      <Offline />
      <div class={whose ? "frame" : "frame single"}>
        {whose && at && <Navigation at={at} operator={isOperator(whose)} />}
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Edge />
    </>
  );
}

function ThemeSwitch() {
  const [other, setOther] = useState(otherTheme);
  const change = () => {
    announce(switchTheme() === "dark" ? "Dark" : "Light");
    setOther(otherTheme());
  };
  return (
    <button type="button" class="icon" aria-label={`Switch to ${other}`} onClick={change}>
      <ThemeIcon />
    </button>
  );
}

type Place = readonly [href: string, words: string, ats: readonly Route["at"][]];

const places: readonly Place[] = [
  ["#/", "Overview", ["overview"]],
  ["#/projects", "Projects", ["projects", "project", "domains"]],
];
const operatorPlaces: readonly Place[] = [
  ["#/keys", "Keys", ["keys"]],
  ["#/catalogue", "Catalogue", ["pets", "orders"]],
  ["#/owners", "Owners", ["owners"]],
];
const lastPlaces: readonly Place[] = [["#/account", "Account", ["account"]]];

function Navigation({ at, operator }: { at: Route; operator: boolean }) {
  const shown = [...places, ...(operator ? operatorPlaces : []), ...lastPlaces];
  useEffect(() => {
    const here = document.querySelector(".places [aria-current]");
    if (at.at !== "unknown") here?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [at]);
  return (
    <nav class="places" aria-label="Dashboard">
      <ul>
        {shown.map(([href, words, ats]) => (
          <li key={href}>
            <a href={href} aria-current={ats.includes(at.at) ? "page" : undefined}>
              {words}
            </a>
          </li>
        ))}
        <li class="apart">
          <a href="/docs/">Documentation</a>
        </li>
      </ul>
    </nav>
  );
}

function Offline() {
  const state = useObservable(connection);
  return (
    <div role="status" class="offline-place">
      {state !== "connected" && (
        <p class="offline">
          <span aria-hidden="true">▲</span>
          <span>
            {state === "offline"
              ? "You are offline. What you see may be old; it is loaded again when you are back."
              : "The service cannot be reached. What you see may be old; trying again."}
          </span>
        </p>
      )}
    </div>
  );
}

/** What was done is said at the edge for a while, and aloud. */
function Edge() {
  const words = useObservable(announcement);
  const note = useObservable(toast);
  return (
    <>
      <p class="visually-hidden" role="status">
        {words}
      </p>
      {note !== "" && (
        <p class="toast" aria-hidden="true">
          {note}
        </p>
      )}
    </>
  );
}
