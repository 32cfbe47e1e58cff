/** A certificate for a server on loopback, such as the CA's own, trusted by nobody else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./processes.ts";

export interface ApiCertificate {
  /** The certificate as PEM: what a client must trust. */
  readonly file: string;
  readonly keyFile: string;
  readonly pem: string;
  readonly keyPem: string;
}

export async function makeApiCertificate(
  folder: string,
  host = "localhost",
): Promise<ApiCertificate> {
  const file = join(folder, "api.pem");
  const keyFile = join(folder, "api.key");
  await run("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-days", "2", "-subj", `/CN=${host}`],
    ...["-addext", `subjectAltName=DNS:${host},IP:127.0.0.1`],
    ...["-keyout", keyFile, "-out", file],
  ]);
  return {
    file,
    keyFile,
    pem: readFileSync(file, "utf8"),
    keyPem: readFileSync(keyFile, "utf8"),
  };
}
