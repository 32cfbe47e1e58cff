/** A bill of materials (CycloneDX 1.5) of what a release contains, made from what npm knows. */
import { createHash } from "node:crypto";

export interface Component {
  readonly "bom-ref": string;
  readonly type?: string;
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
  readonly components?: readonly Component[];
}

export interface Bom {
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp: string;
    readonly component: Component;
    readonly [other: string]: unknown;
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly [other: string]: unknown;
}

export interface Release {
  readonly name: string;
  /** Of the commit, so that one commit has one bill. */
  readonly timestamp: Date;
  /** What `process.versions` says in the runtime. */
  readonly runtimeVersions: Readonly<Record<string, string | undefined>>;
}

/**
 * Not parts of Bun: the interfaces of Node.js whose versions it reports for compatibility, the
 * compiler it was built with, and its own name and those of its sources.
 */
const notParts = new Set([
  ...["node", "v8", "uv", "napi", "modules", "openssl", "typescript", "unicode"],
  ...["zig", "bun", "uwebsockets", "usockets"],
]);

/**
 * `bill` is the output of `npm sbom` for everything in the lock file. `npm sbom --omit dev` is no
 * substitute: it also drops what production and development share, such as pg.
 */
export function productionBill(bill: Bom, release: Release): Bom {
  const components = bill.components
    .filter((component) => !isForDevelopment(component))
    .map((component) =>
      component.name === "bun"
        ? { ...component, components: runtimeParts(component, release.runtimeVersions) }
        : component,
    );
  const kept = new Set([bill.metadata.component, ...components].map((each) => each["bom-ref"]));
  const reproducible: Bom = {
    ...bill,
    serialNumber: "",
    metadata: {
      ...bill.metadata,
      timestamp: release.timestamp.toISOString(),
      // npm gives the name of the folder.
      component: { ...bill.metadata.component, name: release.name },
    },
    components,
    dependencies: bill.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((to) => kept.has(to)) })),
  };
  return { ...reproducible, serialNumber: serialNumberOf(reproducible) };
}

function isForDevelopment({ properties = [] }: Component): boolean {
  return properties.some(
    ({ name, value }) => name === "cdx:npm:package:development" && value === "true",
  );
}

function runtimeParts(runtime: Component, versions: Release["runtimeVersions"]): Component[] {
  return Object.entries(versions)
    .filter(([name]) => !notParts.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, version]) =>
      version === undefined
        ? []
        : [{ "bom-ref": `${runtime["bom-ref"]}/${name}`, type: "library", name, version }],
    );
}

/** A UUID of version 8 (RFC 9562), which follows from the contents. */
function serialNumberOf(bill: Bom): string {
  const hash = createHash("sha256").update(JSON.stringify(bill)).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.subarray(0, 16).toString("hex");
  return `urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`;
}
