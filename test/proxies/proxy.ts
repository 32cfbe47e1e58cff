/** Real proxies in front of a service, started with a configuration of the test's. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../testkit/eventually.ts";
import { freePort } from "../../testkit/freePorts.ts";

export type ProxyName = "nginx" | "haproxy" | "caddy" | "envoy";

const where = `${process.env["PATH"]}:/usr/sbin`;

/** Why a proxy cannot be started here. */
export function missing(name: ProxyName): string | undefined {
  const tools = [name, "openssl"].filter((tool) => Bun.which(tool, { PATH: where }) === null);
  return tools.length === 0 ? undefined : `not installed: ${tools.join(", ")}`;
}

export interface RunningProxy {
  readonly port: number;
  /** What it wrote to its log. */
  readonly said: () => string;
  stop(): Promise<void>;
}

const commands: Record<ProxyName, (file: string, folder: string) => string[]> = {
  nginx: (file, folder) => ["-c", file, "-p", folder, "-e", "stderr"],
  haproxy: (file) => ["-db", "-f", file],
  caddy: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  envoy: (file) => ["-c", file, "--disable-hot-restart", "--concurrency", "1", "-l", "warn"],
};

/** `configure` makes the configuration for a port to listen on and a folder for its files. */
export async function startProxy(
  name: ProxyName,
  configure: (port: number, folder: string) => string,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`));
  const port = await freePort();
  const file = join(folder, name === "envoy" ? "proxy.yaml" : "proxy.conf");
  writeFileSync(file, configure(port, folder));
  const child = spawn(Bun.which(name, { PATH: where }) ?? name, commands[name](file, folder), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: where, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const exited = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
      return opens(port);
    },
    () => `${name} does not listen: ${said}`,
  );
  return {
    port,
    said: () => said,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      process.off("exit", kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function opens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** A file of deploy/proxies with what belongs to the test in place of what belongs to a machine. */
export function shipped(file: string, replaced: Readonly<Record<string, string>>): string {
  let text = readFileSync(new URL(`../../deploy/proxies/${file}`, import.meta.url), "utf8");
  for (const [here, there] of Object.entries(replaced)) {
    if (!text.includes(here)) throw new Error(`${file} has no ${here}.`);
    text = text.replaceAll(here, there);
  }
  return text;
}

/** A certificate for api.example.com that nobody trusts, alone and with its key in one file. */
export function selfSigned(folder: string): void {
  const [key, certificate] = [join(folder, "privkey.pem"), join(folder, "fullchain.pem")];
  execFileSync(
    "openssl",
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=api.example.com -addext subjectAltName=DNS:api.example.com -keyout ${key} -out ${certificate}`.split(
      " ",
    ),
    { stdio: "ignore" },
  );
  const both = readFileSync(certificate, "utf8") + readFileSync(key, "utf8");
  writeFileSync(join(folder, "combined.pem"), both);
}
