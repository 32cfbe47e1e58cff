/** The entry point of the dashboard of a rehearsal: the usual one, after its screen was added. */
import "./rehearsal.tsx";
import "../../../src/dashboard/browser/main.tsx";
