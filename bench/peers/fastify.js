// The peer most people would write: Fastify with node:sqlite, on Node. Durable (WAL, synchronous =
// FULL, every create a transaction of its own), with a key check and the headers that ours sends.
// Run as: node fastify.js <database> <port>
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import fastify from "fastify";

const [path, port] = process.argv.slice(2);
const base = "https://petstore.example.com";
const guide = `<${base}/docs/guide/deprecation.md>`;

const db = new DatabaseSync(path);
db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
const columns = "id, name, category_id AS categoryId, status";
const findKey = db.prepare("SELECT id FROM keys WHERE hash = ?");
const findPet = db.prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
const listAll = db.prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
const listStatus = db.prepare(
  `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
);
const insert = db.prepare(
  "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING id",
);
const takePet = db.prepare(
  "UPDATE pets SET status = 'pending' WHERE id = ? AND status = 'available'",
);
const insertOrder = db.prepare(
  "INSERT INTO orders (pet_id, quantity, status, placed_at) VALUES (?, ?, 'placed', ?) RETURNING id",
);

const status = { type: "string", enum: ["available", "pending", "sold"] };
const name = { type: "string", minLength: 1, maxLength: 255 };
const pet = {
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    categoryId: { type: "integer" },
    status: { type: "string" },
  },
};
const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: {
    name,
    categoryId: { type: "integer" },
    status: { ...status, default: "available" },
  },
};
const newOrder = {
  type: "object",
  required: ["petId"],
  properties: {
    petId: { type: "integer" },
    quantity: { type: "integer", minimum: 1, maximum: 1000, default: 1 },
  },
};
const listQuery = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "string", maxLength: 64 },
  },
};

const app = fastify();

app.addHook("onRequest", (request, reply, done) => {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const key = findKey.get(createHash("sha256").update(token).digest("hex"));
  if (key !== undefined) return done();
  reply.header("www-authenticate", 'Bearer realm="petstore"');
  reply.code(401).send({ code: "key_unknown", message: "This key is not known.", status: 401 });
});

app.addHook("onSend", (request, reply, payload, done) => {
  if (request.method === "GET" && typeof payload === "string") {
    const etag = `"${createHash("sha1").update(payload).digest("base64url").slice(0, 22)}"`;
    reply.header("etag", etag);
    if (request.headers["if-none-match"] === etag) {
      reply.code(304);
      return done(null, "");
    }
  }
  done(null, payload);
});

app.get("/v1/pets/:petId", { schema: { response: { 200: pet } } }, (request, reply) => {
  const found = findPet.get(Number(request.params.petId));
  if (found === undefined) {
    return reply.code(404).send({ code: "pet_not_found", message: "No such pet.", status: 404 });
  }
  reply.headers({
    "cache-control": "private, no-cache",
    link: `${guide}; rel="deprecation"; type="text/markdown", ${guide}; rel="sunset"; type="text/markdown", <${base}/v1/pets?id=${found.id}>; rel="successor-version"`,
    deprecation: "@1793491200",
    sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  });
  return reply.type("application/json").send(found);
});

const listSchema = {
  querystring: listQuery,
  response: { 200: { type: "array", items: pet } },
};
app.get("/v1/pets", { schema: listSchema }, (request, reply) => {
  const { limit, status, cursor } = request.query;
  const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64url").toString());
  // One more than asked for tells whether there is a next page.
  const rows =
    status === undefined ? listAll.all(after, limit + 1) : listStatus.all(status, after, limit + 1);
  if (rows.length > limit) {
    rows.pop();
    const next = Buffer.from(String(rows[limit - 1].id)).toString("base64url");
    const filter = status === undefined ? "" : `&status=${status}`;
    reply.header("link", `<${base}/v1/pets?limit=${limit}${filter}&cursor=${next}>; rel="next"`);
  }
  reply.header("cache-control", "private, no-cache");
  return reply.type("application/json").send(rows);
});

app.post("/v1/pets", { schema: { body: newPet, response: { 201: pet } } }, (request, reply) => {
  const { name, categoryId, status } = request.body;
  const { id } = insert.get(name, categoryId, status);
  reply.headers({ "cache-control": "no-store", location: `${base}/v1/pets/${id}` });
  return reply.code(201).type("application/json").send({ id, name, categoryId, status });
});

app.post("/v1/store/orders", { schema: { body: newOrder } }, (request, reply) => {
  const { petId, quantity } = request.body;
  const placedAt = new Date().toISOString();
  db.exec("BEGIN IMMEDIATE");
  const taken = takePet.run(petId).changes === 1;
  const order = taken ? insertOrder.get(petId, quantity, placedAt) : undefined;
  db.exec("COMMIT");
  if (order === undefined) {
    return reply.code(409).send({ code: "pet_not_available", message: "Taken.", status: 409 });
  }
  reply.headers({ "cache-control": "no-store", location: `${base}/v1/store/orders/${order.id}` });
  return reply.code(201).send({ id: order.id, petId, quantity, status: "placed", placedAt });
});

process.on("SIGTERM", async () => {
  await app.close();
  db.close();
});
await app.listen({ host: "127.0.0.1", port: Number(port) });
