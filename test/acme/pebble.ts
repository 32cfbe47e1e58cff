/** Pebble, the ACME server that the authors of the protocol test with. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../testkit/eventually.ts";
import { freePort } from "../../testkit/freePorts.ts";

export interface Pebble {
  readonly directory: string;
  /** What its own address is to be trusted by. */
  readonly trustPem: string;
  stop(): Promise<void>;
}

/** Undefined where all of them are installed. */
export function missingOf(commands: readonly string[]): string | undefined {
  const missing = commands.filter((command) => !isInstalled(command));
  return missing.length === 0 ? undefined : `not installed: ${missing.join(", ")}`;
}

function isInstalled(command: string): boolean {
  return spawnSync(command, ["-help"], { stdio: "ignore" }).error === undefined;
}

/** The `settings` are its environment variables, named without `PEBBLE_`. */
export async function startPebble(
  settings: Record<string, string>,
  externalAccounts: Record<string, string> = {},
): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-pebble-"));
  const trustPem = selfSign(folder);
  const [port, managementPort] = [await freePort(), await freePort()];
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: join(folder, "cert.pem"),
        privateKey: join(folder, "key.pem"),
        httpPort: 5002,
        tlsPort: 5001,
        externalAccountBindingRequired: Object.keys(externalAccounts).length > 0,
        externalAccountMACKeys: externalAccounts,
      },
    }),
  );
  const environment = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`PEBBLE_${name}`, value]),
  );
  const pebble = spawn("pebble", ["-config", join(folder, "config.json")], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await announced(pebble);
  // It says so just before it listens.
  await eventually(() => accepts(port));
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    trustPem,
    async stop() {
      const ended = new Promise((resolve) => pebble.once("exit", resolve));
      pebble.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Leaves `key.pem` and `cert.pem` in the folder; returns the certificate. */
export function selfSign(folder: string): string {
  const certificate = join(folder, "cert.pem");
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
      ...["-keyout", join(folder, "key.pem"), "-out", certificate, "-days", "2"],
      ...["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
    ],
    { stdio: "ignore" },
  );
  return readFileSync(certificate, "utf8");
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

function announced(pebble: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk: Buffer) => {
      said += chunk;
      if (said.includes("ACME directory available at")) resolve();
    };
    pebble.stdout?.on("data", hear);
    pebble.stderr?.on("data", hear);
    pebble.once("exit", () => reject(new Error(`pebble ended: ${said}`)));
  });
}
