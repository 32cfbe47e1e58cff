/** As little ACME as it takes to see the test bed's CA work: an account that signs what it asks. */
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Challenge {
  readonly type: string;
  readonly url: string;
  readonly token: string;
  readonly error?: { readonly type: string };
}

/** What the tests read of ACME's objects, whichever it is; a problem's status is a number. */
export interface AcmeObject {
  readonly type?: string;
  readonly status?: string | number;
  readonly authorizations?: readonly string[];
  readonly challenges?: readonly Challenge[];
  readonly finalize?: string;
  readonly certificate?: string;
}

export interface AcmeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: AcmeObject;
}

export interface AcmeAccount {
  readonly directory: Record<string, string>;
  /** Signs and posts; without a payload it is a POST-as-GET. Never tries twice. */
  post(url: string | null | undefined, payload?: object): Promise<AcmeAnswer>;
  order(host: string, more?: object): Promise<AcmeAnswer>;
  /** What an HTTP-01 challenge wants to read (RFC 8555, section 8.1). */
  keyAuthorization(token: string): Promise<string>;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

export async function openAccount(testBed: {
  readonly acmeDirectory: string;
  readonly acmeTrustFile: string;
}): Promise<AcmeAccount> {
  const tls = { ca: readFileSync(testBed.acmeTrustFile, "utf8") };
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { crv, kty, x, y } = publicKey.export({ format: "jwk" });
  const jwk = { crv, kty, x, y };
  const answer = await fetch(testBed.acmeDirectory, { tls });
  const directory = (await answer.json()) as Record<string, string>;
  let kid: string | undefined;

  async function freshNonce(): Promise<string> {
    const { headers } = await fetch(directory["newNonce"] ?? "", { method: "HEAD", tls });
    return headers.get("replay-nonce") ?? "";
  }

  async function post(to: string | null | undefined, payload?: object): Promise<AcmeAnswer> {
    const url = to ?? "";
    const who = kid === undefined ? { jwk } : { kid };
    const header = encoded({ alg: "ES256", nonce: await freshNonce(), url, ...who });
    const content = payload === undefined ? "" : encoded(payload);
    const signature = sign("sha256", Buffer.from(`${header}.${content}`), {
      key: privateKey,
      dsaEncoding: "ieee-p1363",
    }).toString("base64url");
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/jose+json" },
      body: JSON.stringify({ protected: header, payload: content, signature }),
      tls,
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const { status, headers } = response;
    return { status, headers, text, body: isJson ? JSON.parse(text) : {} };
  }

  const made = await post(directory["newAccount"], { termsOfServiceAgreed: true });
  kid = made.headers.get("location") ?? undefined;

  return {
    directory,
    post,
    order: (host, more = {}) =>
      post(directory["newOrder"], { identifiers: [{ type: "dns", value: host }], ...more }),
    keyAuthorization: async (token) => `${token}.${await thumbprint(jwk)}`,
  };
}

/** RFC 7638: over the members that count, in alphabetical order. */
async function thumbprint(jwk: object): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(jwk));
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("base64url");
}
