/** The client as a page uses it: loaded from the page's own origin, calling the API on another. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { buildClient } from "../../scripts/client.ts";
import { launch, named, noBrowser } from "../docs/chromium.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-browser-"));
let running: TestService;
let pages: Server;
let browser: Browser | undefined;

/** What the page reports of its day: everything as text, since a bigint does not travel. */
const script = `
import { isPetStoreError, PetStoreClient } from "/client.js";
const { searchParams } = new URL(location.href);
const client = new PetStoreClient({ baseUrl: searchParams.get("base"), apiKey: searchParams.get("key") });
const said = [];
try {
  for (const name of ["Bella", "Rex", "Zoë 🐈"]) {
    const pet = await client.createPet({ name, categoryId: 9007199254740993n });
    said.push(pet.id + " " + pet.name + " " + pet.categoryId);
  }
  const order = await client.placeOrder({ petId: 2n });
  said.push("order " + order.id + " " + order.status);
  for await (const pet of client.pets({ limit: 1 })) said.push(pet.id + " " + pet.status);
  await client.placeOrder({ petId: 2n }).catch((error) => {
    said.push(String(isPetStoreError(error, "pet_not_available")) + " " + error.status);
  });
} catch (error) {
  said.push(String(error));
}
document.title = JSON.stringify(said);
`;

beforeAll(async () => {
  buildClient(folder);
  const files: Record<string, [type: string, body: string]> = {
    "/": ["text/html", '<!doctype html><script type="module" src="/page.js"></script>'],
    "/page.js": ["text/javascript", script],
    "/client.js": ["text/javascript", readFileSync(join(folder, "client.js"), "utf8")],
  };
  pages = createServer((request, response) => {
    const [type, body] = files[request.url?.split("?")[0] ?? ""] ?? ["text/plain", ""];
    response.writeHead(body === "" ? 404 : 200, { "content-type": type }).end(body);
  }).listen(0, "127.0.0.1");
  running = await startTestService();
  if (!noBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  pages.close();
  await running.stop();
  rmSync(folder, { recursive: true });
});

describe("in a browser", () => {
  test.skipIf(noBrowser)(
    named("adds, orders and pages through pets on another origin, with exact ids"),
    async () => {
      const page = await (browser as Browser).newPage();
      const query = new URLSearchParams({ base: running.base, key: running.token });
      await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/?${query}`);
      await page.waitForFunction("document.title !== ''");
      expect(JSON.parse(await page.title())).toEqual([
        "1 Bella 9007199254740993",
        "2 Rex 9007199254740993",
        "3 Zoë 🐈 9007199254740993",
        "order 1 placed",
        "1 available",
        "2 pending",
        "3 available",
        "true 409",
      ]);
    },
  );
});
