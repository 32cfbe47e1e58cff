/** Applies the remembered theme and language before the first paint. */
import { remembered } from "./platform.ts";

const root = document.documentElement;
root.dataset.js = "";

const theme = remembered("localStorage", "theme");
if (theme === "light" || theme === "dark") root.dataset.theme = theme;

const language = remembered("localStorage", "language");
if (language !== undefined) root.dataset.language = language;
