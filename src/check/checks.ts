/** Everything that is checked, in the order in which it is reported. */
import { type Check, type Part, parts } from "./check.ts";
import { authentication } from "./checks/authentication.ts";
import { bodies } from "./checks/bodies.ts";
import { categories } from "./checks/categories.ts";
import { conditional } from "./checks/conditional.ts";
import { contractDocument } from "./checks/contractDocument.ts";
import { core } from "./checks/core.ts";
import { cors } from "./checks/cors.ts";
import { errors } from "./checks/errors.ts";
import { events } from "./checks/events.ts";
import { filters } from "./checks/filters.ts";
import { head } from "./checks/head.ts";
import { idempotency } from "./checks/idempotency.ts";
import { lifecycle } from "./checks/lifecycle.ts";
import { limits } from "./checks/limits.ts";
import { orders } from "./checks/orders.ts";
import { paging } from "./checks/paging.ts";
import { paths } from "./checks/paths.ts";
import { problemJson } from "./checks/problemJson.ts";
import { strict } from "./checks/strict.ts";
import { updates } from "./checks/updates.ts";

const all: readonly Check[] = [
  ...[core, authentication, bodies, errors, paths, paging, filters, strict, limits, head, cors],
  ...[
    lifecycle,
    conditional,
    idempotency,
    updates,
    problemJson,
    orders,
    categories,
    events,
    contractDocument,
  ],
].flat();

const order = Object.keys(parts);

export const checks: readonly Check[] = all.toSorted(
  (a, b) => order.indexOf(a.part) - order.indexOf(b.part),
);

export const partNames = Object.keys(parts) as readonly Part[];
