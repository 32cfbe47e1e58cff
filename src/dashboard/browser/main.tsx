/** Where the dashboard begins. */
import { render } from "preact";
import { App } from "./app.tsx";
import { watchConnection } from "./connection.ts";
import { route, watchRoute } from "./route.ts";
import { lookWhoIsIn, watchSession } from "./session.ts";

watchRoute();
watchConnection();
watchSession();
// A one-time link makes a session of its own, whoever was here before.
if (route.get().at !== "welcome") void lookWhoIsIn();

const place = document.getElementById("app");
if (place === null) throw new Error("The page lacks #app.");
place.textContent = "";
render(<App />, place);
