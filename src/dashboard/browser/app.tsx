/** The frame around every screen, and the choice of the screen. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../contract/generated/platform.ts";
import { otherTheme, switchTheme } from "../../docs/browser/platform.ts";
import { Account } from "./account/account.tsx";
import { SetUpTwoStep } from "./account/twoStep.tsx";
import { announce, announcement, toast } from "./announce.ts";
import { AuditLog } from "./audit.tsx";
import { Orders } from "./catalogue/orders.tsx";
import { Pets } from "./catalogue/pets.tsx";
import { connection } from "./connection.ts";
import { Domains } from "./domains/domains.tsx";
import { Keys } from "./keys.tsx";
import { useObservable } from "./observable.ts";
import { OverviewPage } from "./overview.tsx";
import { Owners } from "./owners.tsx";
import { Button, Icon } from "./parts/buttons.tsx";
import { Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { ProjectPage } from "./projects/project.tsx";
import { Projects } from "./projects/projects.tsx";
import { go, type Route, route } from "./route.ts";
import { isOperator, loadSession, nameOf, session } from "./session.ts";
import { Alone, SecondStep, SignIn, Welcome } from "./signIn.tsx";
import { WebhookPage } from "./webhooks/endpoint.tsx";
import { Webhooks } from "./webhooks/webhooks.tsx";

export function App() {
  const state = useObservable(session);
  const at = useObservable(route);
  if (at.at === "welcome") return frame(<Welcome token={at.name} />);
  if (state.kind === "unknown") return frame(<Starting failed={state.error !== undefined} />);
  if (state.kind === "signed_out") return frame(<SignIn ended={state.ended} />);
  if (state.kind === "second_step") return frame(<SecondStep pending={state.pending} />);
  if (state.session.secondFactorMissing) return frame(<SetUpTwoStep />);
  return frame(<Screen at={at} session={state.session} />, state.session, at);
}

/** Before it is known who is signed in. */
function Starting({ failed }: { failed: boolean }) {
  if (!failed) return <Skeleton rows={4} tall />;
  return (
    <Alone title="The dashboard could not be loaded">
      <p>The service returned an error. The page retries as soon as the service is reachable.</p>
      <p>
        <Button kind="primary" onClick={loadSession}>
          Try again
        </Button>
      </p>
    </Alone>
  );
}

function Screen({ at, session }: { at: Route; session: Session }) {
  const operator = isOperator(session);
  switch (at.at) {
    case "overview":
      return <OverviewPage operator={operator} />;
    case "projects":
      return <Projects session={session} />;
    case "project":
      return <ProjectPage key={at.name} slug={at.name} />;
    case "domains":
      return <Domains key={at.name} slug={at.name} host={at.host} operator={operator} />;
    case "webhook":
      return operator ? <WebhookPage key={at.name} id={at.name} /> : <NotFound />;
    case "account":
      return <Account session={session} />;
    case "welcome":
      return <NotFound />;
    case "unknown": {
      const Screen = extraScreens.find(({ path }) => path === at.name)?.Screen ?? NotFound;
      return <Screen />;
    }
    default: {
      const OperatorScreen = operator ? operatorScreens[at.at] : NotFound;
      return <OperatorScreen />;
    }
  }
}

interface ExtraScreen {
  /** After `#/` in the URL. */
  readonly path: string;
  /** In the navigation. */
  readonly label: string;
  readonly Screen: () => JSX.Element;
}

/** Screens that another entry point adds before it loads this one. */
export const extraScreens: ExtraScreen[] = [];

const operatorScreens = {
  ...{ keys: Keys, pets: Pets, orders: Orders, owners: Owners, webhooks: Webhooks },
  audit: AuditLog,
};

function NotFound() {
  return (
    <Page title="Page not found">
      <p>The URL is wrong, or this page is for operators only.</p>
      <p>
        <Button kind="primary" onClick={() => go("#/")}>
          Go to the overview
        </Button>
      </p>
    </Page>
  );
}

function frame(children: ComponentChildren, whose?: Session, at?: Route) {
  return (
    <>
      {/* Not a link, since the fragment of the URL selects the screen. */}
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href="#/">
          <Icon name="mark" size={20} />
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
      <Announcements />
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
    <Button kind="icon" label={`Switch to ${other}`} onClick={change}>
      <Icon name="theme" />
    </Button>
  );
}

const items: readonly [href: string, words: string, ats: readonly Route["at"][]][] = [
  ["#/", "Overview", ["overview"]],
  ["#/projects", "Projects", ["projects", "project", "domains"]],
  ["#/keys", "Keys", ["keys"]],
  ["#/catalogue", "Catalogue", ["pets", "orders"]],
  ["#/webhooks", "Webhooks", ["webhooks", "webhook"]],
  ["#/owners", "Owners", ["owners"]],
  ["#/audit", "Audit log", ["audit"]],
  ["#/account", "Account", ["account"]],
];

function Navigation({ at, operator }: { at: Route; operator: boolean }) {
  const shown = items.filter(([, , [first = ""]]) => operator || !(first in operatorScreens));
  useEffect(() => {
    const here = document.querySelector(".sidebar [aria-current]");
    if (at.at !== "unknown") here?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [at]);
  return (
    <nav class="sidebar" aria-label="Dashboard">
      <ul>
        {shown.map(([href, words, ats]) => (
          <li key={href}>
            <a href={href} aria-current={ats.includes(at.at) ? "page" : undefined}>
              {words}
            </a>
          </li>
        ))}
        {extraScreens.map(({ path, label }) => (
          <li key={path}>
            <a href={`#/${path}`} aria-current={at.name === path ? "page" : undefined}>
              {label}
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
    <div role="status" class="offline-region">
      {state !== "connected" && (
        <p class="offline">
          <Icon name="trouble" />
          <span>
            {state === "offline"
              ? "You are offline. The data may be out of date; it reloads when you are back online."
              : "The service cannot be reached. The data may be out of date; retrying."}
          </span>
        </p>
      )}
    </div>
  );
}

/** The live region and the toast. */
function Announcements() {
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
