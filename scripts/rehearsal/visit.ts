/** A visit to a site as a browser makes it: look the name up, check the certificate, ask for a page. */
import { connect, type TLSSocket } from "node:tls";
import type { Resolver } from "../../src/hosting/domains/resolver.ts";
import type { Visit } from "./view.ts";

export interface VisitOptions {
  readonly resolver: Resolver;
  readonly httpsPort: number;
  /** The only root that is trusted. */
  readonly rootPem: string;
}

const visitMsMax = 5_000;
const responseBytesMax = 64 * 1024;

export async function visitSite(host: string, options: VisitOptions): Promise<Visit> {
  const { resolver, httpsPort } = options;
  const url = `https://${host}:${httpsPort}/`;
  const answer = await resolver.lookUp(host, "A");
  if (answer.kind === "unreachable") return { url, records: [], failure: answer.detail };
  const records = answer.records.map(({ name, type, value }) => `${name} ${type} ${value}`);
  const address = answer.records.find(({ type }) => type === "A")?.value;
  if (address === undefined) return { url, records, failure: `${host} has no address.` };
  // Whatever a record says, nothing of a rehearsal leaves the machine.
  if (!address.startsWith("127.")) {
    const failure = `${host} leads to ${address}, which is not this machine.`;
    return { url, records, failure };
  }
  return { url, records, ...(await converse(host, address, options)) };
}

function converse(
  host: string,
  address: string,
  { httpsPort: port, rootPem: ca }: VisitOptions,
): Promise<Pick<Visit, "certificate" | "response" | "failure">> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, servername: host, ca });
    let certificate: Visit["certificate"];
    let text = "";
    const end = (rest: Pick<Visit, "response" | "failure">) => {
      socket.destroy();
      resolve({ ...(certificate === undefined ? {} : { certificate }), ...rest });
    };
    const fail = () =>
      end({
        failure: `No valid certificate for ${host} is served at ${address} port ${port} yet.`,
      });
    socket.setTimeout(visitMsMax, fail);
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      if (!socket.authorized) return fail();
      certificate = certificateOf(socket);
      socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    });
    socket.on("data", (chunk: Buffer) => {
      text = (text + chunk.toString("latin1")).slice(0, responseBytesMax);
    });
    socket.once("close", () => {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
      const [, title = ""] = /<title>([^<]*)<\/title>/.exec(text) ?? [];
      if (status === undefined) return fail();
      end({ response: { status: Number(status), title } });
    });
  });
}

function certificateOf(socket: TLSSocket): Visit["certificate"] {
  const { issuer, valid_to: until } = socket.getPeerCertificate();
  return { issuer: String(issuer.CN), validUntilMs: Date.parse(until) };
}
