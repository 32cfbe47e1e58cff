/** The rules of the API over arrays in memory, written independently of src/. */
import { createHash } from "node:crypto";
import {
  idOf,
  integerOf,
  isName,
  isObject,
  type Members,
  type Plain,
  parse,
  Refusal,
} from "./reading.ts";
import { referenceCategories } from "./referenceCategories.ts";
import { referenceEvents } from "./referenceEvents.ts";
import { isStatus, type Query, referenceLists } from "./referenceLists.ts";

/** A request and an answer as a fault may change them. `path` is without `/v1`, with its query. */
export interface Asked {
  method: string;
  path: string;
  headers: Headers;
  body: Uint8Array;
  /** Aborted when whoever asked has gone. */
  gone: AbortSignal;
}
export interface Answered {
  status: number;
  headers: Headers;
  body: string;
  follow?: Plain["follow"];
}

/** One thing that is wrong: on the way in, on the way out, or inside. */
export interface Fault {
  readonly name: string;
  readonly asked?: (asked: Asked) => void;
  readonly answered?: (answered: Answered, asked: Asked) => void;
  readonly inside?: string;
}

type Pet = {
  id: bigint;
  name: string;
  firstName?: string;
  categoryId: bigint;
  status: string;
  extra?: string;
};
type Order = { id: bigint; petId: bigint; quantity: bigint; status: string; placedAt: string };

export const statuses: Record<string, number> = {
  ...{ body_invalid: 400, body_unreadable: 400, parameter_invalid: 400, cursor_invalid: 400 },
  ...{ key_missing: 401, key_invalid: 401, path_not_found: 404, pet_not_found: 404 },
  ...{ order_not_found: 404, method_not_allowed: 405, pet_not_available: 409 },
  ...{ precondition_failed: 412 },
  ...{
    order_event_refused: 409,
    pet_reserved: 409,
    body_too_large: 413,
    media_type_unsupported: 415,
  },
  ...{ category_not_found: 404, category_taken: 409, category_in_use: 409 },
  idempotency_mismatch: 422,
};

const petText = ({ id, name, categoryId, status, extra = "" }: Pet) =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status && `,"status":"${status}"`}${extra}}`;
const orderText = ({ id, petId, quantity, status, placedAt }: Order) =>
  `{"id":${id},"petId":${petId},"quantity":${quantity},"status":"${status}","placedAt":"${placedAt}"}`;
export const tagOf = (text: string, link = "") =>
  `"${createHash("sha256").update(`${text} ${link}`).digest("hex").slice(0, 20)}"`;
export const referenceKey = "reference-key";

/** Answers what is under the base address; throws Refusal. */
export function createReferenceService(has: (inside: string) => boolean, base: () => string) {
  const pets: Pet[] = [];
  let lastPetId = 0n;
  let lastOrderId = 0n;
  const orders: Order[] = [];
  const { list, readQuery } = referenceLists(has, base);
  const isUsed = (category: bigint) => pets.some(({ categoryId }) => categoryId === category);
  const categories = referenceCategories(has, base, isUsed);
  const events = referenceEvents(has);
  const recordPet = (change: string, pet: Pet) =>
    events.record(`pet.${change}`, `pets/${pet.id}`, petText(pet));
  const remembered = new Map<string, { print: string; answer: Promise<Plain> }>();

  function authorize(headers: Headers): void {
    const given = headers.get("authorization");
    if (!given) throw new Refusal("key_missing", "Send a key.", { "www-authenticate": "Bearer" });
    if (given.replace(/^bearer +/i, "Bearer ") === `Bearer ${referenceKey}`) return;
    const challenge = { "www-authenticate": 'Bearer error="invalid_token"' };
    throw new Refusal("key_invalid", "This is no key.", challenge);
  }

  function bodyOf({ method, headers, body }: Asked, members: string[], strict: boolean): Members {
    const type = (headers.get("content-type") ?? "").toLowerCase().replaceAll(" ", "");
    const coded = headers.get("content-encoding") ?? "identity";
    const taken = method === "PATCH" ? type.replace("merge-patch+", "") : type;
    if (!/^application\/json(;charset=utf-8)?$/.test(taken) || coded !== "identity") {
      const known = { "accept-patch": "application/merge-patch+json, application/json" };
      const headers = method === "PATCH" ? known : {};
      throw new Refusal("media_type_unsupported", "Send application/json.", headers);
    }
    if (body.length > 65_536) throw new Refusal("body_too_large", "This is too much.");
    let value: unknown;
    try {
      value = parse(new TextDecoder("utf-8", { fatal: !has("utf8") }).decode(body));
    } catch {
      throw new Refusal("body_unreadable", "This is no JSON.");
    }
    if (!isObject(value)) throw new Refusal("body_invalid", "Send an object.");
    const unknown = Object.keys(value).filter((name) => !members.includes(name));
    if (strict && unknown.length > 0) throw new Refusal("body_invalid", `What is ${unknown}?`);
    return value;
  }

  function newPet(body: Members): Plain {
    const category = integerOf(body["categoryId"]);
    const status = "status" in body ? body["status"] : has("no default") ? "" : "available";
    const fits = isStatus(status) || (status === "" && !("status" in body));
    const wrong = [
      isName(body["name"], has("code units")) ? "" : "name",
      category === undefined ? "categoryId" : "",
      fits ? "" : "status",
    ].filter(Boolean);
    if (wrong.length === 0 || has("stores refused")) {
      const extra = has("keeps strangers") && "colour" in body ? ',"colour":"red"' : "";
      const pet = { name: String(body["name"]), categoryId: category ?? 0n, extra };
      pets.push({ id: ++lastPetId, ...pet, status: fits ? String(status) : "sold" });
    }
    if (wrong.length > 0) throw new Refusal("body_invalid", `Wrong: ${wrong.join(", ")}.`);
    const pet = pets.at(-1) as Pet;
    recordPet("created", pet);
    return { status: 201, body: petText(pet), headers: { location: `${base()}/pets/${pet.id}` } };
  }

  /** The first of two buyers waits for the second, who finds the pet available too. */
  const buyers = new Map<bigint, () => void>();
  async function meetRival({ id, name }: Pet, gone: AbortSignal): Promise<void> {
    // Nobody else comes for a pet that is not raced for.
    if (!/ race /.test(name)) return;
    const first = buyers.get(id);
    if (first !== undefined) return first();
    await new Promise<void>((resolve) => {
      buyers.set(id, resolve);
      gone.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async function newOrder(body: Members, gone: AbortSignal): Promise<Plain> {
    const petId = integerOf(body["petId"]);
    const quantity = "quantity" in body ? integerOf(body["quantity"]) : 1n;
    const counted = quantity !== undefined && quantity >= 1n && quantity <= 1_000n;
    const pet = pets.find(({ id }) => id === petId);
    const wrong = [pet === undefined ? "petId" : "", counted ? "" : "quantity"].filter(Boolean);
    if (wrong.length > 0) throw new Refusal("body_invalid", `Wrong: ${wrong.join(", ")}.`);
    if (pet?.status !== "available") throw new Refusal("pet_not_available", "It is taken.");
    if (has("double sale")) await meetRival(pet, gone);
    const placedAt = "2026-11-15T12:00:00Z";
    const id = ++lastOrderId;
    orders.push({ id, petId: pet.id, quantity: quantity ?? 1n, status: "placed", placedAt });
    const location = `${base()}/store/orders/${id}`;
    const placed = recorded(orders.at(-1) as Order);
    if (!has("stays available")) setStatus(pet, "pending");
    return { ...placed, status: 201, headers: { location } };
  }

  function setStatus(pet: Pet, status: string): void {
    pet.status = status;
    recordPet("updated", pet);
  }

  function recorded(order: Order): Plain {
    events.record(`order.${order.status}`, `orders/${order.id}`, orderText(order));
    return { status: 200, body: orderText(order) };
  }

  const openOrder = (pet: Pet) =>
    orders.find(({ petId, status }) => petId === pet.id && /^(placed|approved)$/.test(status));

  function petUnder(id: string): Pet {
    const pet = pets.find((each) => each.id === idOf(id));
    if (pet === undefined) throw new Refusal("pet_not_found", "No such pet.");
    return pet;
  }

  function expectMatch(pet: Pet, { headers }: Asked): void {
    const given = headers.get("if-match");
    if (given === null || given === "*") return;
    if (!/^"[^"]*"(, *"[^"]*")*$/.test(given)) throw new Refusal("parameter_invalid", "If-Match?");
    const text = petText(pet);
    const current = [tagOf(text), ...(has("tag of get only") ? [] : [tagOf(`[${text}]`)])];
    if (given.split(/, */).some((tag) => current.includes(tag))) return;
    throw new Refusal("precondition_failed", "It is another.");
  }

  function changePet(pet: Pet, body: Members, asked: Asked): Plain {
    const { id, name, categoryId, status } = body;
    const nothing = [id, name, categoryId, status].every((member) => member === undefined);
    const category = categoryId === undefined ? pet.categoryId : integerOf(categoryId);
    const reset = status === null || (status === undefined && has("puts"));
    const next = reset && !has("keeps null") ? "available" : (status ?? pet.status);
    const wrong = [
      id === undefined || (!has("no id") && integerOf(id) === pet.id) ? "" : "id",
      name === undefined || isName(name, false) ? "" : "name",
      category === undefined ? "categoryId" : "",
      isStatus(next) ? "" : "status",
    ].filter((member) => member !== "" && !has(`any ${member}`));
    if (nothing && !has("empty patches")) throw new Refusal("body_invalid", "Change what?");
    const changed: Pet = {
      ...{ id: pet.id, name: isName(name, false) ? name : pet.name },
      ...{ categoryId: category ?? 0n, status: isStatus(next) ? next : "sold" },
    };
    expectMatch(pet, asked);
    if (wrong.length > 0 && has("records refusals")) recordPet("updated", pet);
    if (wrong.length > 0 && has("stores halves")) Object.assign(pet, changed);
    if (wrong.length > 0) throw new Refusal("body_invalid", `Wrong: ${wrong.join(", ")}.`);
    const moves = has("reserves names") || changed.status !== pet.status;
    if (moves && openOrder(pet) !== undefined && !has("sells reserved")) {
      throw new Refusal("pet_reserved", "It is ordered.");
    }
    if (has("searches first names")) pet.firstName ??= pet.name;
    const before = { ...pet };
    if (!has("forgets updates")) Object.assign(pet, changed);
    if (petText(before) !== petText(changed) || has("records what stays")) {
      recordPet("updated", has("records what was") ? before : changed);
    }
    return { status: 200, body: petText(changed), headers: { etag: tagOf(petText(changed)) } };
  }

  function removePet(pet: Pet, asked: Asked): Plain {
    expectMatch(pet, asked);
    if (openOrder(pet) !== undefined && !has("removes reserved")) {
      throw new Refusal("pet_reserved", "It is ordered.");
    }
    recordPet("deleted", pet);
    if (!has("removes nothing")) pets.splice(pets.indexOf(pet), 1);
    const kept = orders.filter(({ petId }) => !has("removes orders") || petId !== pet.id);
    orders.splice(0, orders.length, ...kept);
    return { status: 204, body: "" };
  }

  function cancelOrder(order: Order): Plain {
    const pet = pets.find(({ id }) => id === order.petId);
    const closed = order.status !== "placed" && order.status !== "approved";
    if (pet === undefined || (closed && !has(`cancels ${order.status}`))) {
      throw new Refusal("order_event_refused", `The order is ${order.status}.`);
    }
    order.status = "cancelled";
    const cancelled = recorded(order);
    if (!has("keeps cancelled")) setStatus(pet, "available");
    return cancelled;
  }

  function moveOrder(order: Order, event: string): Plain {
    if (event === "cancel") return cancelOrder(order);
    const from = event === "approve" ? "placed" : "approved";
    const skips = has("skips approval") && event === "deliver" && order.status === "placed";
    const again = has("approves twice") && event === "approve" && order.status === "approved";
    const revived = has("revives cancelled") && order.status === "cancelled";
    if (order.status !== from && !skips && !again && !revived) {
      throw new Refusal("order_event_refused", `The order is ${order.status}.`);
    }
    order.status = event === "approve" ? "approved" : "delivered";
    const moved = recorded(order);
    const pet = pets.find(({ id }) => id === order.petId);
    if (event === "deliver" && pet && !has("never sold")) setStatus(pet, "sold");
    return moved;
  }

  async function serve(asked: Asked): Promise<Plain> {
    const [path = "", search = ""] = asked.path.split("?");
    authorize(asked.headers);
    const method = asked.method === "HEAD" ? "GET" : asked.method;
    const preferred = (asked.headers.get("prefer") ?? "").split(/, */);
    const strict = preferred.includes("handling=strict");
    const counts = preferred.includes("count=exact");
    const query = (...names: string[]) =>
      readQuery(path, new URLSearchParams(search), names, strict);
    const { total, ...done } = await act(asked, method, path.split("/").slice(1), query, strict);
    const counted = total !== undefined && (counts || has("counts always"));
    const count: Record<string, string> = counted ? { "x-total-count": String(total) } : {};
    const applied = [...(strict ? ["handling=strict"] : []), ...(counted ? ["count=exact"] : [])];
    if (applied.length > 0) count["preference-applied"] = applied.join(", ");
    return { ...done, headers: { ...done.headers, ...count } };
  }

  async function act(
    asked: Asked,
    method: string,
    [area, second = "", third = "", fourth = "", ...rest]: string[],
    query: (...names: string[]) => Query,
    strict: boolean,
  ): Promise<Plain> {
    const shape = `${area}${area !== "store" && second !== "" ? "/{}" : ""}${area === "store" ? `/${second}${third && "/{}"}${fourth && `/${fourth}`}` : ""}`;
    const surplus = rest.length > 0 || (area !== "store" && third !== "");
    const allow = surplus ? undefined : methods[shape];
    if (allow === undefined) throw new Refusal("path_not_found", "Nothing here.");
    if (!allow.split(", ").includes(method)) {
      throw new Refusal("method_not_allowed", "Not so.", { allow });
    }
    const order = () => {
      const found = orders.find(({ id }) => id === idOf(third));
      if (found === undefined) throw new Refusal("order_not_found", "No such order.");
      return found;
    };
    const body = (...members: string[]) => bodyOf(asked, members, strict);
    switch (`${method} ${shape}`) {
      case "GET pets":
        return list(
          "/pets",
          pets,
          petText,
          query("limit", "status", "id", "categoryId", "name", "cursor"),
        );
      case "GET store/orders":
        return list(
          "/store/orders",
          orders,
          orderText,
          query("limit", "status", "petId", "cursor"),
        );
      case "GET categories":
        return list("/categories", categories.all, categories.text, query("limit", "cursor"));
      case "GET events": {
        const asks = query("limit", "type", "resource", "cursor");
        const streams = asked.headers.get("accept") === "text/event-stream";
        if (streams) return events.stream(asks, asked.headers.get("last-event-id"));
        return list("/events", events.all, events.text, asks);
      }
      case "GET pets/{}":
        query();
        return { status: 200, body: petText(petUnder(second)) };
      case "GET store/orders/{}":
        query();
        return { status: 200, body: orderText(order()) };
      case "DELETE pets/{}":
        return once(asked, () => removePet(petUnder(second), asked));
      case "PATCH pets/{}": {
        const change = body("id", "name", "categoryId", "status");
        return once(asked, () => changePet(petUnder(second), change, asked));
      }
      case "POST categories":
        return once(asked, () => categories.create(body("id", "name")));
      case "PATCH categories/{}":
        return once(asked, () => categories.rename(second, body("id", "name")));
      case "DELETE categories/{}":
        return once(asked, () => categories.remove(second));
      case "POST pets":
        return once(asked, () => newPet(body("name", "categoryId", "status")));
      case "POST store/orders":
        return once(asked, () => newOrder(body("petId", "quantity"), asked.gone));
      default:
        return once(asked, () => moveOrder(order(), fourth));
    }
  }

  async function once(asked: Asked, work: () => Plain | Promise<Plain>): Promise<Plain> {
    const key = asked.headers.get("idempotency-key");
    if (key === null) return work();
    if (!/^[!-~]{1,255}$/.test(key)) throw new Refusal("parameter_invalid", "Idempotency-Key?");
    const print = `${has("key without path") ? "" : asked.path} ${Buffer.from(asked.body)}`;
    const before = remembered.get(key);
    if (before === undefined) {
      // At once, for those who come while it is being done.
      const answer = (async () => work())();
      remembered.set(key, { print, answer });
      answer.catch(() => remembered.delete(key));
      return answer;
    }
    if (has("stores replays")) await work();
    if (before.print !== print && !has("ignores mismatch")) {
      throw new Refusal("idempotency_mismatch", "Use another key.");
    }
    const answer = await before.answer;
    return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } };
  }

  return serve;
}

const methods: Record<string, string> = {
  pets: "GET, HEAD, POST",
  "pets/{}": "GET, HEAD, PATCH, DELETE",
  events: "GET, HEAD",
  categories: "GET, HEAD, POST",
  "categories/{}": "PATCH, DELETE",
  "store/orders": "GET, HEAD, POST",
  "store/orders/{}": "GET, HEAD",
  "store/orders/{}/approve": "POST",
  "store/orders/{}/deliver": "POST",
  "store/orders/{}/cancel": "POST",
};
