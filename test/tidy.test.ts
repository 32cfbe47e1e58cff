/** Holds the map in ARCHITECTURE.md: who may import whom, and where time and randomness come from. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const below = [
  "clock",
  "metrics",
  "tracing",
  "problems",
  "maybePromise",
  "recentMap",
  "semaphore",
  "contract",
  "networks",
  "retryAfter",
  "vault",
];
const petstore = ["events", "idempotency", "catalogue", "orders", "keys", "webhooks"];
const hosting = ["sites", "domains"];
const nouns = [...petstore, "accounts", "audit", ...hosting, "notifications"];
/** Folders of src/ that hold several rooms: folders, or files that are a room each. */
const groups = ["core", "config", "serve", "petstore", "hosting", "storage"];
/** Each room of src/ and the rooms it may import from. */
const mayImport: Record<string, readonly string[]> = {
  clock: [],
  metrics: [],
  tracing: ["clock"],
  problems: [],
  maybePromise: [],
  reasonPhrases: [],
  recentMap: [],
  semaphore: ["clock"],
  networks: [],
  retryAfter: [],
  vault: ["clock"],
  contract: [],
  events: below,
  idempotency: below,
  catalogue: [...below, "events", "idempotency"],
  orders: [...below, "events", "idempotency", "catalogue"],
  keys: [...below, "events"],
  webhooks: [...below, "events"],
  accounts: [...below, "keys"],
  audit: below,
  sites: [...below, "events"],
  domains: [...below, "events", "sites"],
  // It looks at everything that may need attention.
  notifications: [...below, ...petstore, ...hosting, "accounts"],
  client: ["contract"],
  check: below,
  runtimeFiles: [],
  docs: ["contract", "reasonPhrases", "sites", "runtimeFiles"],
  // The client, types of the platform's API, and the look of the documentation.
  dashboard: ["client", "contract", "docs"],
  stores: [...below, ...nouns],
  log: [...below, ...nouns],
  settings: [],
  domainsConfig: ["settings"],
  mailConfig: ["settings", "accounts"],
  config: [...below, ...nouns, "log", "settings", "domainsConfig", "mailConfig", "wire"],
  secret: below,
  repositories: [...below, ...nouns, "stores"],
  sqlite: [...below, ...nouns, "stores", "repositories"],
  postgres: [...below, ...nouns, "stores", "repositories"],
  wire: ["clock", "maybePromise", "reasonPhrases"],
  http: [...below, ...nouns, "stores", "log", "wire"],
  edge: [...below, ...nouns, "stores", "log", "wire"],
  dns: [...below, "domains"],
  acme: [...below, "domains"],
  outbound: [...below, "webhooks", "notifications", "wire"],
  cli: [...below, ...nouns, "stores", "client", "check"],
  supervisor: [...below, ...nouns, "log", "wire", "http", "edge"],
  serveDomains: [
    ...[...below, ...nouns, "stores", "log", "config", "domainsConfig"],
    ...["wire", "edge", "dns", "acme", "supervisor", "startFailure", "serveTraces"],
  ],
  observeSetup: [
    ...[...below, ...nouns, "stores", "log", "config", "domainsConfig"],
    ...["wire", "edge", "dns", "acme"],
  ],
  serveWebhooks: [
    ...[...below, ...nouns, "stores", "log", "config", "wire", "outbound"],
    "serveTraces",
  ],
  serveDashboard: [...below, ...nouns, "stores", "log", "config", "wire", "http"],
  serveMails: [
    ...[...below, ...nouns, "stores", "log", "config", "mailConfig", "outbound"],
    "serveDashboard",
  ],
  background: [...below, ...nouns, "stores", "log", "config", "serveWebhooks", "serveMails"],
  serveTraces: [...below, ...nouns, "stores", "log", "config", "outbound"],
  serviceMetrics: [...below, ...nouns, "stores", "log", "wire"],
  ownDocs: [...below, ...nouns, "stores", "log", "config", "docs"],
  serve: [
    ...[...below, ...nouns, "stores", "log", "config", "domainsConfig"],
    ...["wire", "http", "edge", "docs", "dashboard"],
    ...["serveDomains", "serveDashboard", "background", "ownDocs", "observeSetup", "supervisor"],
    "serviceMetrics",
    "serveTraces",
  ],
  serveAlone: ["log", "serve", "serveTogether", "supervisor", "wire"],
  serveTogether: [
    ...[...below, ...nouns, "log", "config", "settings", "runtimeFiles"],
    ...["http", "wire", "supervisor", "serve", "serveAlone", "startFailure"],
  ],
  serveAsWorker: [...below, "stores", "serve", "supervisor"],
  startFailure: ["config", "clock", "log"],
  environments: [
    ...[...below, "keys", "log", "config", "settings", "runtimeFiles"],
    ...["wire", "supervisor", "startFailure"],
  ],
  main: [
    ...below,
    ...nouns,
    "stores",
    "log",
    "config",
    "secret",
    "sqlite",
    "postgres",
    "wire",
    "http",
    "cli",
    "serve",
    "ownDocs",
    "serveDomains",
    "startFailure",
    "environments",
    "serveDashboard",
    "serveWebhooks",
    "serveMails",
    "observeSetup",
    "serveAlone",
    "serveTogether",
    "serveAsWorker",
    "supervisor",
  ],
};

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((file) => !/\/(generated|node_modules)\//.test(file));
}

const read = (file: string) => readFileSync(join(root, file), "utf8");
function roomOf(file: string): string {
  const [, first = "", second = ""] = file.split("/");
  return (groups.includes(first) ? second : first).replace(/\.ts$/, "");
}

function importsOf(file: string): string[] {
  const found = read(file).matchAll(/(?:from|import\(?)\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => normalize(join(dirname(file), path)));
}

const sources = filesBelow("src");
const beside = ["test", "testkit", "scripts", "bench", "torture"];
const all = [...sources, ...beside.flatMap(filesBelow)];

/** Beside src/: testkit is for all, and tests also import what they test. */
function mayShare(file: string, imported: string): boolean {
  const [folder, part] = file.split("/");
  const [other] = imported.split("/");
  if (other === folder) return true;
  if (folder === "test") return other === "testkit" || other === "scripts" || other === part;
  return other === "testkit";
}

test("a start on SQLite loads no package but the parser of HTTP", () => {
  // Statically, and at run time: not for types, and not what is imported when it is needed.
  const statement =
    /^(?:(?:import|export)\s+(?!type\b)(?:([^;"]*?)\s+from\s+)?|.*\brequire\()"([^"]+)"/gm;
  const isTypes = (names: string) => /^\{(?:\s*type [^,}]+,?)*\s*\}$/.test(names);
  const loaded = new Set(["src/main.ts"]);
  const packages = new Set<string>();
  const builtins = new Set<string>();
  for (const file of loaded) {
    for (const [, names = "", from = ""] of read(file).matchAll(statement)) {
      if (isTypes(names) || from.endsWith(".json")) continue;
      if (from.startsWith(".")) loaded.add(normalize(join(dirname(file), from)));
      else (/^(?:node|bun):/.test(from) ? builtins : packages).add(from);
    }
  }
  expect(loaded.size).toBeGreaterThan(50);
  // They load each other, and take a tenth of the start.
  for (const slow of ["node:http", "node:https", "node:http2", "node:tls"]) {
    expect(builtins).not.toContain(slow);
  }
  expect([...packages]).toEqual(["undici/lib/llhttp/llhttp_simd-wasm.js"]);
});

describe("the rooms", () => {
  test("are all on the map", () => {
    expect([...new Set(sources.map(roomOf))].sort()).toEqual(Object.keys(mayImport).sort());
  });

  for (const file of sources) {
    test(`${file} imports only what its room may`, () => {
      const room = roomOf(file);
      const strangers = importsOf(file)
        .filter((imported) => imported.startsWith("src/"))
        .map(roomOf)
        .filter((imported) => imported !== room && !mayImport[room]?.includes(imported));
      expect(strangers).toEqual([]);
    });
  }

  test("nothing in src imports what is beside it", () => {
    const outside = sources.flatMap(importsOf).filter((imported) => !imported.startsWith("src/"));
    expect(outside.filter((imported) => imported !== "package.json")).toEqual([]);
  });

  for (const folder of beside) {
    test(`${folder} shares with the folders beside it only what is in testkit`, () => {
      const strangers = filesBelow(folder).flatMap((file) =>
        importsOf(file)
          .filter((imported) => beside.some((other) => imported.startsWith(`${other}/`)))
          .filter((imported) => !mayShare(file, imported))
          .map((imported) => `${file} imports ${imported}`),
      );
      expect(strangers).toEqual([]);
    });
  }
});

describe("every file", () => {
  test("is small enough to be one thing", () => {
    const long = all.filter((file) => read(file).split("\n").length > 400);
    expect(long).toEqual([]);
  });

  test("has a name that says what it holds", () => {
    const vague =
      /(^|\/)(utils?|helpers?|common|misc|services?|controllers?|models?|index)(\.ts|\/)/i;
    expect(sources.filter((file) => vague.test(file))).toEqual([]);
  });

  test("is finished", () => {
    const marks = new RegExp(
      ["TO" + "DO", "FIX" + "ME", "XX" + "X", String.raw`\.on` + String.raw`ly\(`].join("|"),
    );
    expect(all.filter((file) => marks.test(read(file)))).toEqual([]);
  });
});

describe("time, timers and randomness", () => {
  const outsideTheClock =
    /\bDate\.now\(|new Date\(\)|performance\.now\(|\bsetTimeout\(|\bsetInterval\(|Math\.random\(|randomBytes\(|randomUUID\(|getRandomValues\(/;
  // The client and the pages' scripts run in other people's programs, each with a seam of its own.
  const seams = ["src/core/clock.ts", "src/client/platform.ts", "src/docs/browser/platform.ts"];
  for (const file of sources.filter((name) => !seams.includes(name))) {
    test(`${file} takes them from the clock`, () => {
      expect(
        read(file)
          .split("\n")
          .filter((line) => outsideTheClock.test(line)),
      ).toEqual([]);
    });
  }

  test("the system's clock is chosen where a process or a thread begins, and handed on", () => {
    const choosing = sources.filter((file) => /\bsystemClock\b/.test(read(file)));
    expect(choosing.toSorted()).toEqual([
      "src/core/clock.ts",
      "src/main.ts",
      "src/storage/sqlite/copyThread.ts",
      "src/storage/sqlite/writerThread.ts",
    ]);
  });
});

describe("the tests", () => {
  const tests = all.filter((file) => /^test(?:kit)?\//.test(file));

  test("measure no time: they wait for what happens, or hold the clock", () => {
    const stopwatch =
      /performance\.now\(|\bset(?:Timeout|Interval)\(|Bun\.sleep\(|Signal\.timeout\(/;
    const measuring = tests.filter((file) => stopwatch.test(read(file)));
    expect(measuring.toSorted()).toEqual([
      // Clients pause between two requests, as clients do.
      "test/end-to-end/keptAlive.ts",
      // Programs that are run by hand, and tell how long something took.
      "test/postgres/measure.ts",
      "test/postgres/measureService.ts",
      "test/simulation/run.ts",
      // It shows that a sync takes at least so long, which holds on any machine.
      "test/torture/faultyDisk.test.ts",
      // The one wait, and its limit is that of timeouts.ts.
      "testkit/eventually.ts",
      // A question to a server that is not there yet is lost, and asked again.
      "testkit/testBed/ask.ts",
      // Other people's servers that do not end when told to are killed.
      "testkit/testBed/processes.ts",
    ]);
  });

  test("have no time limits of their own: those of timeouts.ts are for all", () => {
    const ofTests = /^ *\}, \d[\d_]*\);$|^ *\},\n +\d[\d_]*,\n *\);$/m;
    const ofTools = /\btimeout: \d|TimeoutMillis: \d|Timeout\(\d/;
    const limited = tests.filter((file) => ofTests.test(read(file)) || ofTools.test(read(file)));
    expect(limited).toEqual([]);
  });

  test("draw from one seed", () => {
    const drawing = tests.filter((file) => /^import .* from "fast-check"/m.test(read(file)));
    expect(drawing).toEqual(["testkit/fastCheck.ts"]);
  });
});

test("the documents name no npm script that there is not", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const documents = ["*.md", "{docs,openapi,deploy,bench}/**/*.{md,yaml,yml,env,cfg}"]
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
    .filter((file) => !file.includes("node_modules/"));
  const unknown = documents.flatMap((file) =>
    [...read(file).matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)/g)]
      .filter(([, name = ""]) => scripts[name] === undefined)
      .map(([command]) => `${file}: ${command}`),
  );
  expect(unknown).toEqual([
    // What it says is that this one was replaced.
    "docs/decisions/0072-patroni-through-haproxy.md: npm run failover",
  ]);
});

test("nothing lies about in src that a tool left there", () => {
  const names = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  expect(names.filter((name) => !/\.(?:tsx?|css|json|cjs|d\.cts)$/.test(name))).toEqual([]);
});

describe("Bun's own interfaces", () => {
  test("are used by the listener and the reader of run-time files alone, so that the rest also runs on Node", () => {
    const users = sources.filter((file) => /\bBun\.|from "bun(?::|")/.test(read(file)));
    expect(users.sort()).toEqual([
      "src/core/runtimeFiles.ts",
      "src/wire/listener.ts",
      "src/wire/listeningSockets.ts",
      "src/wire/sockets.ts",
    ]);
  });
});
