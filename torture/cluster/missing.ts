/** What the machine lacks for `npm run cluster`. */

/** The Debian packages, and what each brings. */
const packages: Readonly<Record<string, readonly string[]>> = {
  "etcd-client": ["/usr/bin/etcdctl"],
  "etcd-server": ["/usr/bin/etcd"],
  gcc: ["/usr/bin/cc"],
  haproxy: ["/usr/sbin/haproxy"],
  iproute2: ["/usr/sbin/ip", "/sbin/ip"],
  iptables: ["/usr/sbin/iptables"],
  patroni: ["/usr/bin/patroni"],
  "python3-etcd": ["/usr/lib/python3/dist-packages/etcd"],
  pgbackrest: ["/usr/bin/pgbackrest"],
  "postgresql-15": ["/usr/lib/postgresql/15/bin/postgres"],
};

export interface Machine {
  existsSync(file: string): boolean;
  readonly isRoot: boolean;
}

/** What to do about it; undefined where nothing is missing. */
export function missing({ existsSync, isRoot }: Machine): string | undefined {
  if (!isRoot) return "npm run cluster makes network namespaces, and needs root for that.";
  const lacking = Object.entries(packages).filter(([, files]) => !files.some(existsSync));
  if (lacking.length === 0) return undefined;
  const names = lacking.map(([name]) => name).join(" ");
  // Debian would start each server right away, and on ports that belong to others.
  return `Missing: ${names}. On Debian 12: RUNLEVEL=1 apt-get install --no-install-recommends ${names}`;
}
