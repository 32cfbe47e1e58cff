/** The service as operators run it, two processes on SQLite, with everything around it that it talks to. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { petstore } from "../../testkit/serviceProcess.ts";
import { settingsFor } from "../../testkit/testBed/settings.ts";
import { startTestBed, type TestBed } from "../../testkit/testBed/testBed.ts";
import { pause } from "../load.ts";
import { randomWord } from "../randomWord.ts";
import { startVictim, type Victim, within } from "../service.ts";
import type { Tally } from "../tally.ts";
import { WebhookReceiver } from "../webhookReceiver.ts";

/** Renewed at half of that. */
const certificateSeconds = 120;
const liveMsMax = 90_000;
const owner = "acme";
const project = "acme-docs";
export const pageTitle = "Acme's documentation";
const hosts = ["docs", "help", "status"].map((label) => `${label}.acme.test`);

export interface Subscriber {
  readonly id: string;
  readonly receiver: WebhookReceiver;
}

export interface Place extends AsyncDisposable {
  readonly victim: Victim;
  readonly folder: string;
  /** The database file. */
  readonly file: string;
  readonly secret: string;
  readonly operatorToken: string;
  readonly account: { readonly name: string; readonly password: string };
  readonly hosts: readonly string[];
  readonly httpsPort: number;
  /** What the certificates of the hosts lead to. */
  readonly roots: string;
  readonly subscribers: readonly Subscriber[];
  platform(method: string, path: string, body?: object): Promise<Response>;
  /** As an operator does it. Resolves with what went wrong. */
  reload(): Promise<string | undefined>;
}

export async function openPlace(root: string, random: SeededRandom, tally: Tally): Promise<Place> {
  const testBed = await startTestBed({ certificateValiditySeconds: certificateSeconds });
  const folder = join(root, "data");
  const secret = randomWord(random);
  const variables = {
    PETSTORE_DATA: folder,
    PETSTORE_SECRET: secret,
    PETSTORE_PROCESSES: "2",
    PETSTORE_EVENTS_DAYS: "1",
    PETSTORE_WEBHOOK_NETWORKS: "127.0.0.0/8",
    PETSTORE_LOG: "warn",
    ...settingsFor(testBed),
  };
  const command = async (...words: string[]) => {
    const done = await petstore([...words, "--json"], variables);
    if (done.code !== 0) throw new Error(`petstore ${words.join(" ")}: ${done.stderr}`);
    return JSON.parse(done.stdout);
  };
  await command("owners", "add", owner, "--plan", "paid");
  await command("sites", "create", project, "--owner", owner);
  const site = join(root, "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "index.html"), `<!doctype html><title>${pageTitle}</title>`);
  await command("deploy", site, "--project", project);
  const { link } = await command("owners", "invite", owner);
  const { token: operatorToken } = await command("owners", "token", "--operator");
  const victim = await startVictim({ folder, variables });

  const platform = (method: string, path: string, body?: object) =>
    fetch(`${victim.origin}/internal/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${operatorToken}`,
        "content-type": "application/json",
        origin: victim.origin,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const account = { name: owner, password: `${randomWord(random)} ${randomWord(random)}` };
  const welcome = { token: String(link).split("/").at(-1), password: account.password };
  await expected(await platform("POST", "/welcome", welcome), 200);

  const subscribers: Subscriber[] = [];
  for (const faults of [[], [], ["500", "slow", "hangs"]] as const) {
    const receiver = new WebhookReceiver(
      tally,
      random.fork("receiver"),
      faults,
      faults.length && 0.1,
    );
    const made = await platform("POST", "/webhooks", { url: await receiver.listen() });
    const { webhook, secret: signing } = await expected(made, 201);
    receiver.secret = signing;
    subscribers.push({ id: webhook.id, receiver });
  }
  await attachHosts(testBed, platform);
  return {
    ...{ victim, folder, secret, operatorToken, account, hosts, subscribers, platform },
    file: join(folder, "production", "petstore.db"),
    httpsPort: testBed.httpsPort,
    roots: await testBed.caRoots(),
    async reload() {
      const port = new URL(victim.origin).port;
      const done = await petstore(["reload"], { ...variables, PORT: port });
      return done.code === 0 ? undefined : done.stderr;
    },
    async [Symbol.asyncDispose]() {
      await victim.killed();
      for (const { receiver } of subscribers) await receiver[Symbol.asyncDispose]();
      await testBed.stop();
    },
  };
}

export const bearer = ({ token }: { readonly token: string }) => ({
  headers: { authorization: `Bearer ${token}` },
});

// biome-ignore lint/suspicious/noExplicitAny: the responses of the platform's API are judged elsewhere.
export async function expected(response: Response, status: number): Promise<any> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.url}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

async function attachHosts(testBed: TestBed, platform: Place["platform"]): Promise<void> {
  const records = hosts.map((host) => `${host.split(".")[0]} CNAME ${testBed.target}.`);
  await testBed.zone("acme.test", { records: records.join("\n") });
  const domains = `/projects/${project}/domains`;
  for (const host of hosts) {
    const added = await expected(await platform("POST", domains, { host }), 201);
    await testBed.point(host, added.records[0].value);
    await platform("POST", `${domains}/${host}/verify`);
  }
  const live = async (host: string): Promise<void> => {
    const { status } = await expected(await platform("GET", `${domains}/${host}`), 200);
    if (status !== "live") return pause(200).then(() => live(host));
  };
  await within(liveMsMax, "The domains do not go live", Promise.all(hosts.map(live)));
}
