import { describe, expect, test } from "bun:test";
import { run } from "../../src/cli/run.ts";
import { petstore, startProcess } from "../../testkit/serviceProcess.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

/** What the command says of a service that answers as given. */
async function asked(answer: (cli: CliFixture) => Response | Promise<Response>) {
  await using cli = new CliFixture();
  const paths: string[] = [];
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      paths.push(new URL(request.url).pathname);
      return answer(cli);
    },
  });
  const [stdout, stderr] = [new CapturedOutput(), new CapturedOutput()];
  const serviceAddress = () => `http://127.0.0.1:${server.port}`;
  const code = await run(["healthcheck"], cli.context({ stdout, stderr, serviceAddress }));
  return { code, out: stdout.text, err: stderr.text, paths };
}

describe("healthcheck", () => {
  test("exits with 0 where the service is ready, and with 1 where it is not", async () => {
    expect(await asked(() => new Response("ok"))).toEqual({
      code: 0,
      out: "Ready.\n",
      err: "",
      paths: ["/readyz"],
    });
    for (const answer of [
      () => new Response("", { status: 503 }),
      () => Response.redirect("http://127.0.0.1/"),
    ]) {
      const { code, out, err } = await asked(answer);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(/answered (?:503|302): not ready/);
    }
  });

  test("does not wait for ever", async () => {
    const silent = await asked((cli) => {
      cli.clock.advance(3000);
      return new Promise(() => {});
    });
    expect(silent.code).toBe(1);
    expect(silent.err).toContain("does not answer within 3 seconds");
  });

  test("says where nothing answers", async () => {
    await using cli = new CliFixture({ store: false });
    // Accepts and hangs up. A port that nobody has could be another process's by then.
    using server = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: { open: (socket) => void socket.end(), data() {} },
    });
    const stderr = new CapturedOutput();
    const serviceAddress = () => `http://127.0.0.1:${server.port}`;
    expect(await run(["healthcheck"], cli.context({ stderr, serviceAddress }))).toBe(1);
    expect(stderr.text).toContain("does not answer at all. Check HOST and PORT.");
  });

  test("finds the service by its settings, on every address of the machine too", async () => {
    await using cli = new CliFixture({ store: false });
    const service = await startProcess({ HOST: "0.0.0.0", PETSTORE_DATA: cli.folder });
    const PORT = new URL(service.base).port;
    expect(await petstore(["healthcheck"], { HOST: "0.0.0.0", PORT })).toMatchObject({ code: 0 });
    // Containers are often given a proxy. It is for the world, and has no port 1.
    const proxy = "http://127.0.0.1:1";
    const variables = { PORT, HTTP_PROXY: proxy, http_proxy: proxy };
    expect(await petstore(["healthcheck"], variables)).toMatchObject({ code: 0, stderr: "" });
    expect(await service.end("SIGTERM")).toBe(0);
  });

  test("finds a service that expects the PROXY protocol", async () => {
    await using cli = new CliFixture({ store: false });
    const proxied = { PETSTORE_PROXY_PROTOCOL: "api" };
    const service = await startProcess({ ...proxied, PETSTORE_DATA: cli.folder });
    const PORT = new URL(service.base).port;
    expect(await petstore(["healthcheck"], { ...proxied, PORT })).toMatchObject({ code: 0 });
    expect(await petstore(["healthcheck"], { PORT })).toMatchObject({ code: 1 });
    expect(await service.end("SIGTERM")).toBe(0);
    expect(service.stderr()).toContain('"event":"connection.refused","reason":"malformed"');
  });
});
