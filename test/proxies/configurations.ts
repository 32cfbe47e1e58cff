/** Each proxy before two listeners of the service: as it is by default, and as deploy/proxies has it. */
import { type ProxyName, selfSigned, shipped } from "./proxy.ts";

export interface Configuration {
  readonly proxy: ProxyName;
  readonly name: string;
  readonly encrypted: boolean;
  /** Whether it takes turns, so that a process that is left out is noticed. */
  readonly takesTurns: boolean;
  text(port: number, folder: string, peers: readonly [number, number]): string;
}

/** What nginx needs around a file of conf.d, and nothing that would change what it does. */
const nginxMain = (folder: string, inner: string) => `daemon off;
user root;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 256; }
http {
	access_log off;
	${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n\t")}
	${inner}
}
`;

const haproxyBefore =
  "defaults\nmode http\ntimeout connect 5s\ntimeout client 30s\ntimeout server 30s";

export const configurations: readonly Configuration[] = [
  {
    proxy: "nginx",
    name: "nginx with default settings",
    encrypted: false,
    takesTurns: true,
    text: (port, folder, [one, two]) =>
      nginxMain(
        folder,
        `upstream peers { server 127.0.0.1:${one}; server 127.0.0.1:${two}; }
	server { listen 127.0.0.1:${port}; location / { proxy_pass http://peers; } }`,
      ),
  },
  {
    proxy: "nginx",
    name: "nginx.conf",
    encrypted: true,
    takesTurns: true,
    text(port, folder, [one, two]) {
      selfSigned(folder);
      const inner = shipped("nginx.conf", {
        "listen 443": `listen 127.0.0.1:${port}`,
        "127.0.0.1:8080": `127.0.0.1:${one}`,
        "127.0.0.1:8082": `127.0.0.1:${two}`,
        "/etc/ssl/petstore": folder,
      });
      return nginxMain(folder, inner);
    },
  },
  {
    proxy: "haproxy",
    name: "HAProxy with default settings",
    encrypted: false,
    takesTurns: true,
    text: (port, _folder, [one, two]) => `${haproxyBefore}
listen petstore
bind 127.0.0.1:${port}
server one 127.0.0.1:${one} check inter 500
server two 127.0.0.1:${two} check inter 500
`,
  },
  {
    proxy: "haproxy",
    name: "haproxy.cfg",
    encrypted: true,
    takesTurns: true,
    text(port, folder, [one, two]) {
      selfSigned(folder);
      return shipped("haproxy.cfg", {
        "bind :443": `bind 127.0.0.1:${port}`,
        "127.0.0.1:8080": `127.0.0.1:${one}`,
        "127.0.0.1:8082": `127.0.0.1:${two}`,
        "/etc/ssl/petstore": folder,
      });
    },
  },
  {
    proxy: "caddy",
    name: "Caddy with default settings",
    encrypted: false,
    takesTurns: false,
    text: (port, _folder, [one, two]) => `{
	admin off
}
http://:${port} {
	reverse_proxy 127.0.0.1:${one} 127.0.0.1:${two}
}
`,
  },
  {
    proxy: "caddy",
    name: "Caddyfile",
    encrypted: true,
    takesTurns: true,
    text(port, folder, [one, two]) {
      selfSigned(folder);
      const shippedText = shipped("Caddyfile", {
        "api.example.com {": `https://api.example.com:${port} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
        "127.0.0.1:8080": `127.0.0.1:${one}`,
        "127.0.0.1:8082": `127.0.0.1:${two}`,
      });
      return `{\n\tadmin off\n\tauto_https off\n}\n${shippedText}`;
    },
  },
  {
    proxy: "envoy",
    name: "envoy.yaml",
    encrypted: true,
    takesTurns: true,
    text(port, folder, [one, two]) {
      selfSigned(folder);
      return shipped("envoy.yaml", {
        "address: 0.0.0.0, port_value: 443": `address: 127.0.0.1, port_value: ${port}`,
        "port_value: 8080": `port_value: ${one}`,
        "port_value: 8082": `port_value: ${two}`,
        "/etc/ssl/petstore": folder,
      });
    },
  },
];
