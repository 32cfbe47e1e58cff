/** nginx with our answers as files: as fast as these bytes are served by anybody. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../testkit/freePorts.ts";
import type { Answer } from "../children.ts";
import type { Dialect } from "../works.ts";
import { type Contestant, type Place, type Running, startHttp } from "./contestant.ts";
import { ourDialect } from "./ours.ts";

/** Debian keeps it out of the way of users. */
export const nginxCommand = "/usr/sbin/nginx";
const key = "a-key-that-nginx-knows-by-heart";

export const nginx: Contestant = {
  name: "nginx",
  title: "nginx, the same bytes as files",
  leavesOut: [
    "files only: no store, no creates",
    "any of all pets is any of the sample",
    "one key, compared as text",
    "its own ETag",
  ],
  works: ["getPet", "getPetAny", "listPlain", "listByStatus", "listDeep"],
  sameBytes: true,
  async version() {
    const { stderr } = await promisify(execFile)(nginxCommand, ["-v"]);
    return stderr.trim().replace("nginx version: nginx/", "");
  },
  start: (place) => startNginx(place, "access_log off;"),
};

export const nginxLogged: Contestant = {
  ...nginx,
  name: "nginxLogged",
  title: "nginx, access log buffered",
  works: ["getPet", "listPlain"],
  start: (place) => startNginx(place, "access_log access.log combined buffer=64k flush=1s;"),
};

// A file for each of a million pets would measure the file system, and its cache after that.
const dialect: Dialect = { ...ourDialect(key), sampleOnly: true };

async function startNginx(place: Place, accessLog: string): Promise<Running> {
  const { folder, sample } = place;
  const port = await freePort();
  writeFiles(place);
  writeFileSync(join(folder, "nginx.conf"), configuration(place, port, accessLog), { mode: 0o600 });
  return startHttp({
    order: {
      command: nginxCommand,
      args: ["-p", folder, "-e", "error.log", "-c", join(folder, "nginx.conf")],
      output: join(folder, "output.log"),
    },
    port,
    dialect,
    folder,
    sample,
  });
}

function writeFiles({ folder, reference }: Place): void {
  const pets = join(folder, "files", "v1", "pets");
  const lists = join(folder, "files", "lists");
  for (const each of [pets, lists]) mkdirSync(each, { recursive: true });
  for (const [id, { body }] of reference.pets) writeFileSync(join(pets, String(id)), body);
  for (const [at, { body }] of [...reference.lists.values()].entries()) {
    writeFileSync(join(lists, String(at)), body);
  }
}

function configuration({ reference }: Place, port: number, accessLog: string): string {
  const lists = [...reference.lists];
  const [[id, pet] = missing(), [, list] = missing()] = [[...reference.pets][0], lists[0]];
  const nextLinks = lists.map(([query, { headers }]) => [query, headers.get("link") ?? ""]);
  return nginxConfiguration(`${accessLog}
  default_type application/json;
  max_ranges 0;
  map_hash_bucket_size 512;
  map_hash_max_size 8192;
  map $http_authorization $known { default 0; "Bearer ${key}" 1; }
  map $args $list { ${lists.map(([query], at) => `"${query}" ${at};`).join(" ")} }
  map $args $next { ${nextLinks.map(([query, link]) => `"${query}" '${link}';`).join(" ")} }
  server {
    listen 127.0.0.1:${port};
    root files;
    if ($known = 0) { return 401; }
    location = /v1/pets {
      ${headersLike(list).join("\n      ")}
      add_header Link $next;
      try_files /lists/$list =404;
    }
    location ~ ^/v1/pets/(?<pet>[0-9]+)$ {
      ${headersLike(pet).join("\n      ")}
      add_header Link '${pet.headers.get("link")?.replaceAll(`id=${id}`, "id=$pet")}';
    }
  }`);
}

const connectionsMax = 1_024;

/** One worker that serves files from memory, wherever nginx is compared with; `http` says which. */
export function nginxConfiguration(http: string): string {
  // Run as root, nginx drops privileges unless a user is set, and then cannot read the files.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `daemon off;
${user}
worker_processes 1;
pcre_jit on;
pid nginx.pid;
events { worker_connections ${connectionsMax}; }
http {
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  open_file_cache max=${openFilesMax() - 2 * connectionsMax} inactive=1h;
  open_file_cache_valid 1h;
  server_tokens off;
  ${http}
}
`;
}

/** With more files in its cache than it may have open, nginx would accept no connection. */
function openFilesMax(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return Number(limit ?? 4_096);
}

/** Those that nginx makes itself, and the one that differs from answer to answer. */
const notCopied = ["content-type", "content-length", "date", "etag", "link", "connection"];

function headersLike({ headers }: Answer): string[] {
  const copied = [...headers].filter(([name]) => !notCopied.includes(name));
  // We send no Last-Modified; an empty value takes it away.
  return [
    ...copied.map(([name, value]) => `add_header ${name} '${value}';`),
    'add_header Last-Modified "";',
  ];
}

function missing(): never {
  throw new Error("nginx has nothing to serve: take the reference first.");
}
