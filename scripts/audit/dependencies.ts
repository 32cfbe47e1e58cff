/** What holds of the dependencies without asking anybody. */

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

export interface LockEntry {
  /** Of the package, where the folder has another name. */
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

export interface Locked {
  readonly manifest: Manifest;
  readonly lock: Lock;
  /** Whether a folder such as `node_modules/bun` is there. */
  readonly isInstalled: (folder: string) => boolean;
}

export interface Audited extends Locked {
  /** The names in the table of docs/security.md. */
  readonly documented: readonly string[];
}

export function manifestComplaints({ documented, ...locked }: Audited): readonly string[] {
  const production = locked.manifest.dependencies ?? {};
  return [
    ...Object.keys(production)
      .filter((name) => !documented.includes(name))
      .map((name) => `${name} is a dependency that docs/security.md gives no reason for.`),
    ...documented
      .filter((name) => !Object.hasOwn(production, name))
      .map((name) => `${name} is in docs/security.md and is no dependency.`),
    ...lockComplaints(locked),
  ];
}

/** What must hold of a lock, whatever the packages in it are for. */
export function lockComplaints({ manifest, lock, isInstalled }: Locked): readonly string[] {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const everything = { ...dependencies, ...devDependencies, ...optionalDependencies };
  // The entry without a name is the project itself.
  const entries = Object.entries(lock.packages).filter(([folder]) => folder !== "");
  return [
    ...Object.entries(everything)
      .filter(([, version]) => !exact.test(version))
      .map(([name, version]) => `${name} is not pinned: ${version}.`),
    ...Object.entries(everything)
      .filter(([name, version]) => lockedAs(lock.packages[`node_modules/${name}`]) !== version)
      .map(([name, version]) => `${name} is locked at another version than ${version}.`),
    ...entries
      .filter(([, { integrity }]) => !sha512.test(integrity ?? ""))
      .map(([folder]) => `${folder} is locked without a SHA-512 hash.`),
    ...entries
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      // Those for other systems are in the lock and never come here.
      .filter(([folder, { dev }]) => dev !== true || isInstalled(folder))
      .map(([folder]) => folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length))
      .filter((name) => manifest.allowScripts?.[name] !== true)
      .map(
        (name) => `${name} runs a script when it is installed, which allowScripts does not name.`,
      ),
  ];
}

/** The names of those that may run a script when they are installed. */
export function allowedScripts({ allowScripts = {} }: Manifest): readonly string[] {
  return Object.keys(allowScripts).filter((name) => allowScripts[name] === true);
}

/** As a manifest asks for it: `8.0.0`, or `npm:pg@8.0.0` in a folder of another name. */
function lockedAs({ name, version }: LockEntry = {}): string | undefined {
  return name === undefined ? version : `npm:${name}@${version}`;
}

const exact = /^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** The names in the first column of the table under the heading Dependencies. */
export function documentedIn(page: string): readonly string[] {
  const [, section = ""] = /^## Dependencies\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(page) ?? [];
  return [...section.matchAll(/^\| `([^`]+)` /gm)].map(([, name = ""]) => name);
}
