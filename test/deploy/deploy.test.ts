/** What deploy/ grants and forbids. `npm run systemd` and `npm run image` run it. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const folder = new URL("../../deploy/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");

/** The values of a setting of a unit, in their order. */
function valuesOf(unit: string, setting: string): string[] {
  return unit
    .split("\n")
    .filter((line) => line.startsWith(`${setting}=`))
    .map((line) => line.slice(setting.length + 1));
}

describe("the unit", () => {
  const unit = read("petstore@.service");

  test("gives its user no right beyond its own folder", () => {
    expect(valuesOf(unit, "User")).toEqual(["petstore-%i"]);
    expect(valuesOf(unit, "CapabilityBoundingSet")).toEqual([""]);
    expect(valuesOf(unit, "AmbientCapabilities")).toEqual([]);
    expect(valuesOf(unit, "SystemCallFilter")).toEqual([
      "@system-service",
      "~@privileged @resources",
    ]);
    expect(valuesOf(unit, "ProtectSystem")).toEqual(["strict"]);
    expect(valuesOf(unit, "StateDirectoryMode")).toEqual(["0700"]);
    expect(valuesOf(unit, "UMask")).toEqual(["0077"]);
    for (const setting of ["NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices"]) {
      expect([setting, ...valuesOf(unit, setting)]).toEqual([setting, "yes"]);
    }
  });

  test("prints no key into the journal", () => {
    expect(valuesOf(unit, "Environment")).toEqual(["PETSTORE_FIRST_KEY=off"]);
  });

  test("reloads with the settings of its file, for the same instance that it starts", () => {
    const [start] = valuesOf(unit, "ExecStart");
    expect(valuesOf(unit, "ExecReload")).toEqual([
      (start ?? "").replace(/ serve$/, " reload --settings"),
    ]);
  });

  test("of an edge has the right to its ports, and no other", () => {
    const edge = read("petstore-edge.conf");
    expect(valuesOf(edge, "CapabilityBoundingSet")).toEqual(["CAP_NET_BIND_SERVICE"]);
    expect(valuesOf(edge, "AmbientCapabilities")).toEqual(["CAP_NET_BIND_SERVICE"]);
  });
});

interface ComposeService {
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports: readonly string[];
  readonly environment: Readonly<Record<string, unknown>>;
}

function servicesIn(file: string): Record<string, ComposeService> {
  return parse(read(file), { merge: true }).services;
}

describe("the compose file", () => {
  const { production, staging } = servicesIn("compose.yaml");

  test.each([
    ["production", production],
    ["staging", staging],
  ])("lets %s write to its volume alone, and gain nothing", (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      mem_limit: "512m",
    });
    expect([service?.privileged, service?.cap_add]).toEqual([undefined, undefined]);
  });

  test("opens ports to this machine only", () => {
    const ports = [...(production?.ports ?? []), ...(staging?.ports ?? [])];
    expect(ports).toHaveLength(4);
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  });

  test("keeps the two environments apart: neither reaches the other's ports or data", () => {
    expect([production?.networks, staging?.networks]).toEqual([["production"], ["staging"]]);
    expect([production?.volumes, staging?.volumes]).toEqual([
      ["production:/data"],
      ["staging:/data"],
    ]);
  });

  test("with custom domains opens 80 and 443, and leads to ports that need no right", () => {
    const { production: edge } = servicesIn("compose.domains.yaml");
    const { PETSTORE_EDGE_HTTP_PORT: http, PETSTORE_EDGE_HTTPS_PORT: https } =
      edge?.environment ?? {};
    expect(edge?.ports).toEqual([`80:${http}`, `443:${https}`]);
    expect(Math.min(Number(http), Number(https))).toBeGreaterThanOrEqual(1024);
    expect(edge?.environment["PETSTORE_EDGE_PUBLIC_HTTPS_PORT"]).toBe(443);
    expect(edge?.cap_add).toBeUndefined();
  });
});

describe("the image", () => {
  const lines = read("Dockerfile").split("\n");
  const after = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const final = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));

  test("runs as a user without rights, whose number an orchestrator can see", () => {
    expect(after("USER")).toEqual(["10001:10001"]);
  });

  test("is made of bases that are pinned by digest", () => {
    const bases = after("FROM").map((text) => text.split(" ")[0]);
    expect(bases).toHaveLength(2);
    // Written out: Dependabot does not resolve an ARG.
    for (const base of bases) expect(base).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });

  test("has the executable, its licenses and its volume, and needs no shell", () => {
    expect(final.filter((line) => line.startsWith("COPY "))).toEqual([
      "COPY --from=build /build/dist/petstore /usr/bin/petstore",
      "COPY --from=build /build/LICENSE /build/THIRD_PARTY_LICENSES.txt /usr/share/doc/petstore/",
      "COPY --from=build --chown=10001:10001 /volume/ /",
    ]);
    expect(final.filter((line) => line.startsWith("RUN "))).toEqual([]);
    const commands = final.filter((line) => /\b(?:CMD|ENTRYPOINT) /.test(line));
    expect(commands).toHaveLength(3);
    for (const line of commands) expect(line).toMatch(/(?:CMD|ENTRYPOINT) \[".+"\]$/);
  });
});

test("every setting that is named here is one that there is", () => {
  const guide = ["operating", "deploying"]
    .map((page) => readFileSync(new URL(`../docs/guide/${page}.md`, folder), "utf8"))
    .join("\n");
  const named = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    .flatMap((text) => text.match(/\bPETSTORE_[A-Z_]+\b/g) ?? []);
  const unknown = new Set(named.filter((name) => !guide.includes(`\`${name}\``)));
  expect([...unknown]).toEqual([]);
});
