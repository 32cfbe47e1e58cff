/** The entry point of the dashboard. */
import { render } from "preact";
import { App } from "./app.tsx";
import { watchConnection } from "./connection.ts";
import { route, watchRoute } from "./route.ts";
import { loadSession, watchSession } from "./session.ts";

watchRoute();
watchConnection();
watchSession();
// A one-time link starts a new session, so the current one does not matter.
if (route.get().at !== "welcome") void loadSession();

const root = document.getElementById("app");
if (root === null) throw new Error("The page lacks #app.");
root.textContent = "";
render(<App />, root);
