/** Styles, scripts and fonts: files whose names change with their content. */
import { type Emit, emitPageAssets, type PageAssets } from "../docs/assets.ts";

/** In the order of the cascade. The first two are those of the documentation: both look the same. */
const sheets = [
  "src/docs/styles/tokens.css",
  "src/docs/styles/base.css",
  "src/dashboard/styles/frame.css",
  "src/dashboard/styles/parts.css",
  "src/dashboard/styles/forms.css",
  "src/dashboard/styles/tables.css",
  "src/dashboard/styles/screens.css",
  "src/dashboard/styles/domains.css",
];

export const emitDashboardAssets = (emit: Emit): Promise<PageAssets> =>
  emitPageAssets("dashboard", sheets, emit);
