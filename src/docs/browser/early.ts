/** Runs before anything is drawn, so that nothing flashes: the remembered theme and language. */
import { remembered } from "./platform.ts";

const root = document.documentElement;
root.dataset.js = "";

const theme = remembered("localStorage", "theme");
if (theme === "light" || theme === "dark") root.dataset.theme = theme;

const language = remembered("localStorage", "language");
if (language !== undefined) root.dataset.language = language;
