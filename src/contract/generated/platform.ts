// Generated from openapi/platform.yaml by `npm run contract`. Change the contract, not this.
export interface components {
    schemas: {
        readonly Error: {
            readonly code: components["schemas"]["ErrorCode"];
            readonly message: string;
            readonly status: number;
        };
        /** @enum {string} */
        readonly ErrorCode: "body_invalid" | "body_unreadable" | "parameter_invalid" | "path_not_found" | "method_not_allowed" | "request_timeout" | "body_too_large" | "media_type_unsupported" | "internal" | "overloaded" | "store_unavailable" | "content_mismatch" | "host_invalid" | "password_needed" | "passkey_invalid" | "password_refused" | "routing_invalid" | "site_invalid" | "slug_invalid" | "webhook_url_invalid" | "not_signed_in" | "sign_in_refused" | "sign_in_expired" | "second_factor_refused" | "unauthorized" | "plan_required" | "account_disabled" | "code_wrong" | "current_password_wrong" | "forbidden" | "operator_only" | "second_factor_needed" | "sign_in_again" | "delivery_not_found" | "deployment_not_found" | "domain_not_found" | "factor_not_found" | "key_not_found" | "owner_not_found" | "project_not_found" | "session_not_found" | "webhook_not_found" | "already_attached" | "changed_meanwhile" | "confirmation_needed" | "contents_missing" | "deployment_ended" | "deployment_not_ready" | "deployment_required" | "key_ended" | "last_factor" | "name_reserved" | "not_published" | "not_verifiable" | "owner_exists" | "passkeys_unavailable" | "project_exists" | "setup_expired" | "too_many_passkeys" | "too_many_domains" | "too_many_projects" | "too_many_webhooks" | "webhook_secret_unreadable" | "link_spent" | "sign_in_limited" | "streams_exhausted" | "uploads_exhausted" | "verify_too_soon" | "domains_off" | "sign_in_busy";
        readonly Actor: {
            /** @enum {string} */
            readonly kind: "operator" | "owner";
            readonly id: string;
            readonly name: string;
        };
        readonly Session: {
            readonly actor: components["schemas"]["Actor"];
            readonly expiresAtMs: number;
            /** @description Whether the operator requires a second factor and the account has none. Then it can only set one up. */
            readonly secondFactorMissing: boolean;
        };
        readonly PendingSignIn: {
            readonly methods: readonly ("totp" | "passkey" | "recovery_code")[];
            readonly expiresAtMs: number;
        };
        readonly SecondStep: {
            /** @description Of an authenticator app, or a recovery code. */
            readonly code?: string;
            readonly passkey?: components["schemas"]["PasskeyAssertion"];
        };
        /** @description What the browser returns, in base64url. */
        readonly PasskeyAssertion: {
            readonly id: string;
            readonly clientDataJSON: string;
            readonly authenticatorData: string;
            readonly signature: string;
        };
        readonly PasskeyReference: {
            readonly id: string;
            /** @constant */
            readonly type: "public-key";
            readonly transports: readonly string[];
        };
        /** @description PublicKeyCredentialRequestOptionsJSON of WebAuthn. */
        readonly PasskeyRequest: {
            readonly rpId: string;
            readonly challenge: string;
            readonly timeout: number;
            readonly allowCredentials: readonly components["schemas"]["PasskeyReference"][];
            /** @enum {string} */
            readonly userVerification: "required" | "preferred";
        };
        /** @description PublicKeyCredentialCreationOptionsJSON of WebAuthn. */
        readonly PasskeyCreation: {
            readonly rp: {
                readonly id: string;
                readonly name: string;
            };
            readonly user: {
                readonly id: string;
                readonly name: string;
                readonly displayName: string;
            };
            readonly challenge: string;
            readonly pubKeyCredParams: readonly {
                /** @constant */
                readonly type: "public-key";
                readonly alg: number;
            }[];
            readonly timeout: number;
            readonly excludeCredentials: readonly components["schemas"]["PasskeyReference"][];
            readonly authenticatorSelection: {
                /** @constant */
                readonly residentKey: "preferred";
                readonly requireResidentKey: boolean;
                /** @constant */
                readonly userVerification: "preferred";
            };
            /** @constant */
            readonly attestation: "none";
        };
        readonly PasskeyName: {
            readonly name: string;
        };
        /** @description What the browser returns, in base64url, and a name. */
        readonly NewPasskey: {
            readonly name: string;
            readonly id: string;
            readonly clientDataJSON: string;
            readonly attestationObject: string;
            readonly transports: readonly string[];
        };
        readonly Passkey: {
            readonly id: string;
            readonly name: string;
            readonly createdAtMs: number;
            readonly usedAtMs: number | null;
        };
        readonly SecondFactors: {
            /** @description Whether the operator requires one. */
            readonly required: boolean;
            readonly passkeys: readonly components["schemas"]["Passkey"][];
            /** @description When the authenticator app was set up. */
            readonly totpSinceMs: number | null;
            readonly recoveryCodesLeft: number;
            /** @description Where passkeys work. */
            readonly passkeyOrigin: string | null;
            /** @description Until when this session can change them. */
            readonly changeableUntilMs: number;
        };
        readonly TotpSetup: {
            /** @description In base32, to type into the app. */
            readonly secret: string;
            /** @description The content of a QR code for the app. */
            readonly url: string;
            /** @description To send back with a code. */
            readonly setup: string;
        };
        readonly TotpConfirmation: {
            readonly setup: string;
            readonly code: string;
        };
        readonly AddedFactor: {
            /** @description Shown once. Empty if the account has some. */
            readonly recoveryCodes: readonly string[];
        };
        readonly RecoveryCodes: {
            readonly recoveryCodes: readonly string[];
        };
        readonly OpenSession: {
            readonly id: string;
            /** @description What the browser calls itself. */
            readonly agent: string;
            readonly createdAtMs: number;
            readonly seenAtMs: number;
            readonly expiresAtMs: number;
            /** @description Whether it is the one that asks. */
            readonly current: boolean;
        };
        readonly Credentials: {
            readonly name: string;
            readonly password: string;
        };
        readonly Welcome: {
            readonly token: string;
            readonly password?: string;
        };
        readonly PasswordChange: {
            readonly current?: string;
            readonly next: string;
        };
        readonly Invitation: {
            readonly link: string;
            readonly expiresAtMs: number;
            /** @description Where the link is mailed to, if it is. */
            readonly mailedTo: string | null;
        };
        /** @enum {string} */
        readonly Plan: "free" | "paid";
        readonly ProjectLine: {
            readonly slug: string;
            readonly owner: string;
            /** @description Where it is shown without any domain. */
            readonly address: string;
            readonly plan: components["schemas"]["Plan"] | null;
            /** Format: date-time */
            readonly createdAt: string;
            /** @description The deployment that is shown. */
            readonly current: string | null;
        };
        readonly NewProject: {
            readonly slug: string;
            /** @description The owner who asks unless the operator says another. */
            readonly ownerId?: string;
        };
        readonly Project: {
            readonly slug: string;
            readonly ownerId: string;
            readonly ownerName: string;
            readonly plan: components["schemas"]["Plan"];
            /** Format: date-time */
            readonly createdAt: string;
            /** @description The deployment that is shown. */
            readonly current: string | null;
            /** @description Where it is shown without any domain. */
            readonly address: string;
            readonly deployments: readonly components["schemas"]["Deployment"][];
        };
        readonly Deployment: {
            readonly id: string;
            /** @enum {string} */
            readonly state: "queued" | "building" | "ready" | "failed";
            /** Format: date-time */
            readonly createdAt: string;
            readonly files: number;
            readonly bytes: number;
            /** @description The same for the same files under the same paths. Null until it is ready. */
            readonly fingerprint: string | null;
            readonly failure: string | null;
            /** @description The address of this deployment alone, where there is one. */
            readonly preview: string | null;
        };
        readonly Rollback: {
            readonly deployment: string;
        };
        readonly Shown: {
            readonly current: string | null;
        };
        readonly Manifest: {
            readonly files: readonly components["schemas"]["SiteFile"][];
        };
        readonly SiteFile: {
            readonly path: string;
            readonly bytes: number;
            readonly hash: string;
        };
        readonly BegunDeployment: {
            readonly id: string;
            /** @description Hashes. */
            readonly missing: readonly string[];
        };
        readonly FinishedDeployment: {
            readonly id: string;
            /** @enum {string} */
            readonly kind: "ready" | "shown" | "overtaken" | "needless";
            /** @description The deployment with the same content that is shown already. */
            readonly same?: string;
        };
        /** @enum {string} */
        readonly DomainStatus: "pending_dns" | "misconfigured" | "verified" | "issuing" | "certificate_delayed" | "blocked" | "prepared" | "live" | "degraded" | "renewal_failing" | "suspended" | "abandoned" | "removed";
        readonly RecordToCreate: {
            /** @enum {string} */
            readonly type: "CNAME" | "ALIAS" | "TXT";
            readonly name: string;
            readonly fullName: string;
            readonly value: string;
            readonly ttlSeconds: number;
            readonly note?: string | null;
        };
        readonly Finding: {
            readonly code: string;
            readonly message: string;
            readonly next?: string | null;
            readonly found?: readonly string[] | null;
            readonly expected?: readonly string[] | null;
            readonly at?: readonly string[] | null;
            readonly seconds?: number | null;
            /** Format: date-time */
            readonly until?: string | null;
        };
        /** @description The one thing to do next; of several findings, the one that it is about is chosen. */
        readonly NextStep: {
            /**
             * @description Who acts next. If it is the service, the owner has nothing to do.
             * @enum {string}
             */
            readonly by: "owner" | "service";
            readonly text: string;
        };
        readonly Role: {
            /** @constant */
            readonly kind: "primary";
            /** @description Whether it is not announced yet, because it is not live. */
            readonly held: boolean;
        } | {
            /** @constant */
            readonly kind: "site";
        } | {
            /** @constant */
            readonly kind: "redirect";
            readonly to: string;
            readonly status: number;
            /** @description Whether it shows the site until `to` is live. */
            readonly held: boolean;
        };
        readonly Window: {
            /** Format: date-time */
            readonly start: string;
            /** Format: date-time */
            readonly end: string;
        };
        readonly Certificate: {
            readonly issuer: string;
            /** Format: date-time */
            readonly notBefore: string;
            /** Format: date-time */
            readonly notAfter: string;
            /** Format: date-time */
            readonly renewAt: string | null;
            readonly window: components["schemas"]["Window"] | null;
        };
        readonly NewDomain: {
            readonly host: string;
            /**
             * @description Whether to get the certificate, by a record for dns-01, before the host name points here.
             * @default false
             */
            readonly prepare: boolean;
            /**
             * @description Whether the host name points to a proxy in front of the service. The certificate is prepared.
             * @default false
             */
            readonly proxied: boolean;
            /**
             * @description Whether to add `www.example.com` beside `example.com`, or the other way round, and redirect it there. Both
             *     are added or neither.
             * @default false
             */
            readonly withWww: boolean;
        };
        readonly Domain: {
            readonly id: string;
            readonly host: string;
            readonly unicodeHost: string;
            readonly project: string;
            readonly status: components["schemas"]["DomainStatus"];
            /** @description Whether DNS has shown that the host name is its owner's. */
            readonly proven: boolean;
            /** @enum {string} */
            readonly step: "dns" | "certificate" | "live" | "none";
            readonly records: readonly components["schemas"]["RecordToCreate"][];
            readonly findings: readonly components["schemas"]["Finding"][];
            readonly nextStep: components["schemas"]["NextStep"];
            readonly role: components["schemas"]["Role"];
            readonly certificate: components["schemas"]["Certificate"] | null;
            readonly hsts: components["schemas"]["HstsPolicy"];
            /** Format: date-time */
            readonly addedAt: string;
            /** Format: date-time */
            readonly checkedAt: string | null;
            /** Format: date-time */
            readonly nextAt: string;
            /** Format: date-time */
            readonly retryAt: string | null;
            /**
             * Format: date-time
             * @description When the change of DNS that is awaited should be visible everywhere, 48 hours after it was added.
             */
            readonly propagatedBy: string | null;
            /**
             * Format: date-time
             * @description When it is given up unless DNS is right by then. `POST` adds it again.
             */
            readonly abandonAt: string | null;
        };
        readonly TimelineEntry: {
            /** Format: date-time */
            readonly at: string;
            readonly event: string;
            readonly message: string;
            readonly findings: readonly components["schemas"]["Finding"][];
            readonly answers: readonly string[];
        };
        /** @description The use of one of our own limits, which are below those of the public certificate authority. */
        readonly UsedLimit: {
            /** @description Such as `certificates for this name within a week`. */
            readonly words: string;
            readonly used: number;
            readonly max: number;
            /** Format: date-time */
            readonly until: string | null;
        };
        readonly AuditPage: {
            readonly items: readonly components["schemas"]["AuditEntry"][];
            /** @description The `cursor` of the next page. Null on the last page. */
            readonly nextCursor: string | null;
        };
        readonly AuditEntry: {
            /** @description From 1, without gaps. */
            readonly number: number;
            /** Format: date-time */
            readonly at: string;
            /** @description Such as `accounts/operator`, `keys/key_4fK2mQ9xW1Zt` or `cli/root`. */
            readonly actor: string;
            /** @description Such as `key.revoke`. */
            readonly action: string;
            /** @description Such as `keys/key_4fK2mQ9xW1Zt`. */
            readonly subject: string;
            readonly requestId: string | null;
            readonly source: components["schemas"]["AuditSource"];
            /** @description The subject before. Null if it did not exist. */
            readonly before: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The subject after. Null if it does not exist any more. */
            readonly after: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Of this entry and of the hash before it. */
            readonly hash: string;
        };
        /** @description The client of a request, or the machine of a command. */
        readonly AuditSource: {
            readonly address?: string;
            readonly agent?: string;
            readonly host?: string;
            /** @description Who ran the command with sudo. */
            readonly sudoUser?: string;
        };
        readonly DomainPage: {
            readonly items: readonly components["schemas"]["Domain"][];
            /** @description The `cursor` of the next page. Null on the last page. */
            readonly nextCursor: string | null;
        };
        readonly DomainDetails: components["schemas"]["Domain"] & {
            /** @description Empty where our own limits do not apply, such as with a private authority. */
            readonly budget: readonly components["schemas"]["UsedLimit"][];
            readonly timeline: readonly components["schemas"]["TimelineEntry"][];
        };
        readonly Edges: {
            /** @description The edges that have not applied it yet. */
            readonly edgesBehind: readonly string[];
            readonly edges: number;
        };
        readonly Removal: {
            readonly host: string;
            /** Format: date-time */
            readonly removedAt: string;
        } & components["schemas"]["Edges"];
        /**
         * @description How long browsers insist on HTTPS: not at all (`max-age=0`), for a day, for a year, or for a year with every
         *     name below it.
         * @enum {string}
         */
        readonly HstsPolicy: "off" | "day" | "year" | "subdomains";
        readonly HstsChoice: {
            readonly hsts: components["schemas"]["HstsPolicy"];
        };
        readonly Move: {
            readonly project: string;
            /** @default false */
            readonly confirm: boolean;
        };
        readonly Redirect: {
            readonly from: string;
            readonly to: string;
            /** @description 301, 302, 307 or 308. */
            readonly status: number;
        };
        readonly Routing: {
            readonly primary: string | null;
            readonly redirects: readonly components["schemas"]["Redirect"][];
            /**
             * @description Changes with the routing. A replacement that has the version it was derived from is refused with
             *     `changed_meanwhile` if it is not the current one any more.
             */
            readonly version?: number;
        };
        readonly DeprecatedUse: {
            readonly operation: string;
            readonly count: number;
            /** Format: date-time */
            readonly lastAt: string;
            /** Format: date-time */
            readonly sunsetAt: string;
            readonly successor: string;
        };
        readonly Scopes: "all" | readonly string[];
        readonly Key: {
            readonly id: string;
            readonly name: string;
            readonly hint: string;
            readonly scopes: components["schemas"]["Scopes"];
            /** @enum {string} */
            readonly state: "active" | "expired" | "revoked";
            readonly replacedBy: string | null;
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly expiresAt: string | null;
            /** Format: date-time */
            readonly revokedAt: string | null;
            /** Format: date-time */
            readonly lastUsedAt: string | null;
            /** @description Whether a page of the dashboard made it for itself. */
            readonly dashboard: boolean;
            readonly deprecatedUses: readonly components["schemas"]["DeprecatedUse"][];
        };
        readonly Keys: {
            readonly scopes: readonly string[];
            readonly keys: readonly components["schemas"]["Key"][];
        };
        readonly NewKey: {
            readonly name: string;
            readonly scopes?: components["schemas"]["Scopes"];
            readonly expiresAtMs?: number | null;
        };
        readonly Rotation: {
            /** @description How long the old key remains valid. */
            readonly graceSeconds: number;
        };
        readonly MintedKey: {
            readonly key: components["schemas"]["Key"];
            readonly token: string;
        };
        readonly CatalogueKey: {
            readonly id: string;
            readonly token: string;
            /** Format: date-time */
            readonly expiresAt: string;
            readonly livesSeconds: number;
        };
        readonly EventTypes: "all" | readonly string[];
        readonly Disabled: {
            /** Format: date-time */
            readonly at: string;
            /**
             * @description The operator disabled it, it responded with 410, or all attempts failed for three days.
             * @enum {string}
             */
            readonly reason: "operator" | "gone" | "failing";
        };
        readonly Webhook: {
            readonly id: string;
            readonly url: string;
            readonly types: components["schemas"]["EventTypes"];
            readonly description: string;
            /** Format: date-time */
            readonly createdAt: string;
            /** @enum {string} */
            readonly state: "delivering" | "failing" | "disabled";
            /**
             * Format: date-time
             * @description The first failure since the last success. Null after a success.
             */
            readonly failingSince: string | null;
            readonly disabled: components["schemas"]["Disabled"] | null;
            /**
             * Format: date-time
             * @description Until when the secret before the newest also signs.
             */
            readonly oldSecretExpiresAt: string | null;
        };
        readonly Webhooks: {
            readonly types: readonly string[];
            readonly webhooks: readonly components["schemas"]["Webhook"][];
        };
        readonly WebhookDetails: components["schemas"]["Webhook"] & {
            /** @description Deliveries that are due or wait for a retry. */
            readonly pending: number;
            /** @description Events that were not looked at yet. */
            readonly behind: number;
        };
        readonly NewWebhook: {
            readonly url: string;
            /** @description Those of pets and orders unless given. */
            readonly types?: components["schemas"]["EventTypes"];
            /** @default  */
            readonly description: string;
        };
        readonly WebhookRotation: {
            /** @description How long the old secret also signs. */
            readonly overlapSeconds: number;
        };
        readonly MintedWebhook: {
            readonly webhook: components["schemas"]["Webhook"];
            readonly secret: string;
        };
        readonly WebhookTest: {
            /** @description The `webhook-id` of the message. */
            readonly id: string;
            /** @description Whether the response was a 2xx. */
            readonly delivered: boolean;
            /** @description The body of the request. */
            readonly body: string;
            readonly attempt: components["schemas"]["Attempt"];
        };
        readonly Header: {
            readonly name: string;
            readonly value: string;
        };
        readonly Attempt: {
            /** Format: date-time */
            readonly at: string;
            readonly durationSeconds: number;
            /** @description Where the request was sent. */
            readonly url: string;
            /** @description As they were sent, the signature included. */
            readonly requestHeaders: readonly components["schemas"]["Header"][];
            /** @description Of the response. Null if there was none. */
            readonly status: number | null;
            /** @description Of the response, the first 4 KiB. */
            readonly headers: readonly components["schemas"]["Header"][];
            /** @description The first 4 KiB of the response. */
            readonly body: string | null;
            /** @description Why there was no response, or none that counts. */
            readonly error: string | null;
        };
        /** @enum {string} */
        readonly DeliveryState: "pending" | "delivered" | "failed";
        readonly Delivery: {
            readonly eventId: number;
            readonly type: string;
            readonly state: components["schemas"]["DeliveryState"];
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When the next attempt is due. Null unless it is pending.
             */
            readonly dueAt: string | null;
            /** @description How many are kept. */
            readonly attempts: number;
            /** Format: date-time */
            readonly lastAt: string | null;
            readonly lastStatus: number | null;
            readonly lastError: string | null;
        };
        readonly DeliveryPage: {
            readonly items: readonly components["schemas"]["Delivery"][];
            /** @description The `before` of the next page. Null on the last page. */
            readonly next: number | null;
        };
        readonly DeliveryDetails: {
            readonly eventId: number;
            /** @description The `webhook-id` of every attempt. */
            readonly messageId: string;
            readonly type: string;
            readonly state: components["schemas"]["DeliveryState"];
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly dueAt: string | null;
            /** @description The body of every request. */
            readonly body: string;
            /** @description The latest 20, oldest first. */
            readonly attempts: readonly components["schemas"]["Attempt"][];
        };
        readonly Replayed: {
            /** @description How many deliveries are due again. */
            readonly replayed: number;
        };
        readonly Owner: {
            readonly id: string;
            readonly name: string;
            readonly plan: components["schemas"]["Plan"];
            readonly email: components["schemas"]["Email"];
        };
        readonly NewOwner: {
            readonly id: string;
            readonly name: string;
            readonly plan?: components["schemas"]["Plan"];
            readonly email?: components["schemas"]["Email"];
        };
        /** @description Where notifications and invitations go. */
        readonly Email: string | null;
        readonly EmailSetting: {
            readonly email: components["schemas"]["Email"];
        };
        readonly PlanChange: {
            readonly plan: components["schemas"]["Plan"];
        };
        readonly OwnerPlan: {
            readonly id: string;
            readonly plan: components["schemas"]["Plan"];
        };
        /** @description In chronological order. */
        readonly Series: {
            readonly stepSeconds: number;
            /** Format: date-time */
            readonly from: string;
            readonly requests: readonly number[];
            readonly errors: readonly number[];
            readonly p50Ms: readonly (number | null)[];
            readonly p99Ms: readonly (number | null)[];
            readonly commits: readonly number[];
            readonly writes: readonly number[];
        };
        readonly StatusCount: {
            readonly status: components["schemas"]["DomainStatus"];
            readonly count: number;
        };
        readonly CertificateHealth: {
            readonly host: string;
            readonly project: string;
            readonly status: components["schemas"]["DomainStatus"];
            /** Format: date-time */
            readonly notAfter: string | null;
            /** Format: date-time */
            readonly renewAt: string | null;
        };
        readonly Overview: {
            /** @description Null unless the caller is the operator. */
            readonly series: components["schemas"]["Series"] | null;
            /** @description How many domains there are with each status. */
            readonly domains: readonly components["schemas"]["StatusCount"][];
            /** @description Those of all domains if there are few, otherwise of domains that are not live. */
            readonly certificates: readonly components["schemas"]["CertificateHealth"][];
            readonly projects: number;
            readonly ready: boolean;
            readonly trouble: string | null;
        };
    };
    responses: {
        /** @description The request was rejected, and nothing was changed. */
        readonly Refused: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service failed, or the request cannot be processed at the moment. */
        readonly Failed: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The address. */
        readonly EmailSetting: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["EmailSetting"];
            };
        };
        /** @description The session. */
        readonly Session: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Session"];
            };
        };
        /** @description The domains. */
        readonly DomainPage: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["DomainPage"];
            };
        };
        /** @description The session. Its cookie is set. */
        readonly SessionBegun: {
            headers: {
                /** @description The cookie of the session. */
                readonly "Set-Cookie"?: string;
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Session"];
            };
        };
        /** @description The second step is needed. The cookie of the pending sign-in is set, which is good for that alone. */
        readonly SecondStep: {
            headers: {
                /** @description The cookie of the pending sign-in. */
                readonly "Set-Cookie"?: string;
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["PendingSignIn"];
            };
        };
        /** @description The session has ended. If it was the session of the request, its cookie is cleared. */
        readonly SessionEnded: {
            headers: {
                /** @description Clears the cookie. */
                readonly "Set-Cookie"?: string;
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The deployment that is now published. */
        readonly Shown: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Shown"];
            };
        };
        /** @description The routing. */
        readonly Routing: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Routing"];
            };
        };
        /** @description The key and its token. */
        readonly MintedKey: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MintedKey"];
            };
        };
        /** @description The endpoint. */
        readonly Webhook: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Webhook"];
            };
        };
        /** @description The endpoint and its secret. */
        readonly MintedWebhook: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MintedWebhook"];
            };
        };
        /** @description The number of deliveries. */
        readonly Replayed: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Replayed"];
            };
        };
    };
    parameters: {
        readonly project: string;
        readonly deployment: string;
        readonly host: string;
        readonly key: string;
        readonly webhook: string;
        /** @description The id of the event. */
        readonly event: string;
        readonly owner: string;
        /** @description Part of the host name. */
        readonly search: string;
        /** @description Only these statuses. Repeat it for several. */
        readonly status: readonly components["schemas"]["DomainStatus"][];
        /** @description The `nextCursor` of the page before. */
        readonly cursor: string;
        readonly limit: number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Error = components['schemas']['Error'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type Actor = components['schemas']['Actor'];
export type Session = components['schemas']['Session'];
export type PendingSignIn = components['schemas']['PendingSignIn'];
export type SecondStep = components['schemas']['SecondStep'];
export type PasskeyAssertion = components['schemas']['PasskeyAssertion'];
export type PasskeyReference = components['schemas']['PasskeyReference'];
export type PasskeyRequest = components['schemas']['PasskeyRequest'];
export type PasskeyCreation = components['schemas']['PasskeyCreation'];
export type PasskeyName = components['schemas']['PasskeyName'];
export type NewPasskey = components['schemas']['NewPasskey'];
export type Passkey = components['schemas']['Passkey'];
export type SecondFactors = components['schemas']['SecondFactors'];
export type TotpSetup = components['schemas']['TotpSetup'];
export type TotpConfirmation = components['schemas']['TotpConfirmation'];
export type AddedFactor = components['schemas']['AddedFactor'];
export type RecoveryCodes = components['schemas']['RecoveryCodes'];
export type OpenSession = components['schemas']['OpenSession'];
export type Credentials = components['schemas']['Credentials'];
export type Welcome = components['schemas']['Welcome'];
export type PasswordChange = components['schemas']['PasswordChange'];
export type Invitation = components['schemas']['Invitation'];
export type Plan = components['schemas']['Plan'];
export type ProjectLine = components['schemas']['ProjectLine'];
export type NewProject = components['schemas']['NewProject'];
export type Project = components['schemas']['Project'];
export type Deployment = components['schemas']['Deployment'];
export type Rollback = components['schemas']['Rollback'];
export type Shown = components['schemas']['Shown'];
export type Manifest = components['schemas']['Manifest'];
export type SiteFile = components['schemas']['SiteFile'];
export type BegunDeployment = components['schemas']['BegunDeployment'];
export type FinishedDeployment = components['schemas']['FinishedDeployment'];
export type DomainStatus = components['schemas']['DomainStatus'];
export type RecordToCreate = components['schemas']['RecordToCreate'];
export type Finding = components['schemas']['Finding'];
export type NextStep = components['schemas']['NextStep'];
export type Role = components['schemas']['Role'];
export type Window = components['schemas']['Window'];
export type Certificate = components['schemas']['Certificate'];
export type NewDomain = components['schemas']['NewDomain'];
export type Domain = components['schemas']['Domain'];
export type TimelineEntry = components['schemas']['TimelineEntry'];
export type UsedLimit = components['schemas']['UsedLimit'];
export type AuditPage = components['schemas']['AuditPage'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditSource = components['schemas']['AuditSource'];
export type DomainPage = components['schemas']['DomainPage'];
export type DomainDetails = components['schemas']['DomainDetails'];
export type Edges = components['schemas']['Edges'];
export type Removal = components['schemas']['Removal'];
export type HstsPolicy = components['schemas']['HstsPolicy'];
export type HstsChoice = components['schemas']['HstsChoice'];
export type Move = components['schemas']['Move'];
export type Redirect = components['schemas']['Redirect'];
export type Routing = components['schemas']['Routing'];
export type DeprecatedUse = components['schemas']['DeprecatedUse'];
export type Scopes = components['schemas']['Scopes'];
export type Key = components['schemas']['Key'];
export type Keys = components['schemas']['Keys'];
export type NewKey = components['schemas']['NewKey'];
export type Rotation = components['schemas']['Rotation'];
export type MintedKey = components['schemas']['MintedKey'];
export type CatalogueKey = components['schemas']['CatalogueKey'];
export type EventTypes = components['schemas']['EventTypes'];
export type Disabled = components['schemas']['Disabled'];
export type Webhook = components['schemas']['Webhook'];
export type Webhooks = components['schemas']['Webhooks'];
export type WebhookDetails = components['schemas']['WebhookDetails'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type WebhookRotation = components['schemas']['WebhookRotation'];
export type MintedWebhook = components['schemas']['MintedWebhook'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type Header = components['schemas']['Header'];
export type Attempt = components['schemas']['Attempt'];
export type DeliveryState = components['schemas']['DeliveryState'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryPage = components['schemas']['DeliveryPage'];
export type DeliveryDetails = components['schemas']['DeliveryDetails'];
export type Replayed = components['schemas']['Replayed'];
export type Owner = components['schemas']['Owner'];
export type NewOwner = components['schemas']['NewOwner'];
export type Email = components['schemas']['Email'];
export type EmailSetting = components['schemas']['EmailSetting'];
export type PlanChange = components['schemas']['PlanChange'];
export type OwnerPlan = components['schemas']['OwnerPlan'];
export type Series = components['schemas']['Series'];
export type StatusCount = components['schemas']['StatusCount'];
export type CertificateHealth = components['schemas']['CertificateHealth'];
export type Overview = components['schemas']['Overview'];
export type ResponseRefused = components['responses']['Refused'];
export type ResponseFailed = components['responses']['Failed'];
export type ResponseEmailSetting = components['responses']['EmailSetting'];
export type ResponseSession = components['responses']['Session'];
export type ResponseDomainPage = components['responses']['DomainPage'];
export type ResponseSessionBegun = components['responses']['SessionBegun'];
export type ResponseSecondStep = components['responses']['SecondStep'];
export type ResponseSessionEnded = components['responses']['SessionEnded'];
export type ResponseShown = components['responses']['Shown'];
export type ResponseRouting = components['responses']['Routing'];
export type ResponseMintedKey = components['responses']['MintedKey'];
export type ResponseWebhook = components['responses']['Webhook'];
export type ResponseMintedWebhook = components['responses']['MintedWebhook'];
export type ResponseReplayed = components['responses']['Replayed'];
export type ParameterProject = components['parameters']['project'];
export type ParameterDeployment = components['parameters']['deployment'];
export type ParameterHost = components['parameters']['host'];
export type ParameterKey = components['parameters']['key'];
export type ParameterWebhook = components['parameters']['webhook'];
export type ParameterEvent = components['parameters']['event'];
export type ParameterOwner = components['parameters']['owner'];
export type ParameterSearch = components['parameters']['search'];
export type ParameterStatus = components['parameters']['status'];
export type ParameterCursor = components['parameters']['cursor'];
export type ParameterLimit = components['parameters']['limit'];
export type $defs = Record<string, never>;
export interface operations {
    readonly getSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Session"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly signIn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Credentials"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["SessionBegun"];
            readonly 202: components["responses"]["SecondStep"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly signOut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: components["responses"]["SessionEnded"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listSessions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The sessions. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["OpenSession"][];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly endOtherSessions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description They have ended. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly endSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: components["responses"]["SessionEnded"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly useWelcomeLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Welcome"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["SessionBegun"];
            readonly 202: components["responses"]["SecondStep"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly changePassword: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasswordChange"];
            };
        };
        readonly responses: {
            /** @description The password is changed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly requestPasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The options for the browser. The cookie of a sign-in that begins is set. */
            readonly 200: {
                headers: {
                    /** @description The cookie of the pending sign-in. */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyRequest"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly completeSignIn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SecondStep"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["SessionBegun"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getSecondFactors: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The second factors. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SecondFactors"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly confirmTotp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TotpConfirmation"];
            };
        };
        readonly responses: {
            /** @description It is in force. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AddedFactor"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly beginTotp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The secret. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TotpSetup"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly removeTotp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly addPasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPasskey"];
            };
        };
        readonly responses: {
            /** @description It is added. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AddedFactor"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly createPasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The options for the browser. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyCreation"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly renamePasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly passkey: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasskeyName"];
            };
        };
        readonly responses: {
            /** @description It is renamed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly removePasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly passkey: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly replaceRecoveryCodes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The codes. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getEmail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["EmailSetting"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly setEmail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["EmailSetting"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["EmailSetting"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listProjects: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The projects, ordered by slug. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["ProjectLine"][];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly createProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewProject"];
            };
        };
        readonly responses: {
            /** @description The project. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The project. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly rollBackProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Rollback"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["Shown"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly unpublishProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Shown"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listDeployments: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The deployments. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Deployment"][];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly beginDeployment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        /** @description At most 8 MiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Manifest"];
            };
        };
        readonly responses: {
            /** @description The deployment. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BegunDeployment"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly cancelDeployment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly deployment: components["parameters"]["deployment"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It has ended. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly uploadContent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly deployment: components["parameters"]["deployment"];
                readonly hash: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": unknown;
            };
        };
        readonly responses: {
            /** @description It is stored. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly finishDeployment: {
        readonly parameters: {
            readonly query?: {
                readonly publish?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly deployment: components["parameters"]["deployment"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The outcome. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FinishedDeployment"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly publishDeployment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly deployment: components["parameters"]["deployment"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The outcome. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FinishedDeployment"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listAllDomains: {
        readonly parameters: {
            readonly query?: {
                readonly host?: string;
                /** @description Only those of this owner. */
                readonly owner?: string;
                /** @description Part of the host name. */
                readonly search?: components["parameters"]["search"];
                /** @description Only these statuses. Repeat it for several. */
                readonly status?: components["parameters"]["status"];
                /** @description The `nextCursor` of the page before. */
                readonly cursor?: components["parameters"]["cursor"];
                readonly limit?: components["parameters"]["limit"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["DomainPage"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getEdges: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The edges. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Edges"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listDomains: {
        readonly parameters: {
            readonly query?: {
                /** @description Part of the host name. */
                readonly search?: components["parameters"]["search"];
                /** @description Only these statuses. Repeat it for several. */
                readonly status?: components["parameters"]["status"];
                /** @description The `nextCursor` of the page before. */
                readonly cursor?: components["parameters"]["cursor"];
                readonly limit?: components["parameters"]["limit"];
            };
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["DomainPage"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly addDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewDomain"];
            };
        };
        readonly responses: {
            /** @description The domain. */
            readonly 201: {
                headers: {
                    /** @description The URL of the domain. */
                    readonly Location?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainDetails"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly host: components["parameters"]["host"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The domain. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainDetails"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly removeDomain: {
        readonly parameters: {
            readonly query?: {
                readonly confirm?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly host: components["parameters"]["host"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The domain was removed. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Removal"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly moveDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly host: components["parameters"]["host"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Move"];
            };
        };
        readonly responses: {
            /** @description The domain, in its new project. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainDetails"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly setDomainHsts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly host: components["parameters"]["host"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["HstsChoice"];
            };
        };
        readonly responses: {
            /** @description The domain. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainDetails"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly verifyDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly host: components["parameters"]["host"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The domain, before the check. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainDetails"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly followDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
                readonly host: components["parameters"]["host"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Server-sent events. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getRouting: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Routing"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly replaceRouting: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project: components["parameters"]["project"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Routing"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["Routing"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The keys, and the scopes that a key can have. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Keys"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly createKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewKey"];
            };
        };
        readonly responses: {
            readonly 201: components["responses"]["MintedKey"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly rotateKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly key: components["parameters"]["key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Rotation"];
            };
        };
        readonly responses: {
            readonly 201: components["responses"]["MintedKey"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly revokeKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly key: components["parameters"]["key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is revoked. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly createCatalogueKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CatalogueKey"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The endpoints, in the order of their creation. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhooks"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewWebhook"];
            };
        };
        readonly responses: {
            readonly 201: components["responses"]["MintedWebhook"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The endpoint. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDetails"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly updateWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewWebhook"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["Webhook"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly removeWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly enableWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Webhook"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly disableWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Webhook"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly testWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The attempt. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookTest"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly rotateWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookRotation"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["MintedWebhook"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly replayFailed: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Replayed"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listDeliveries: {
        readonly parameters: {
            readonly query?: {
                /** @description Only those in this state. */
                readonly state?: "all" | "pending" | "delivered" | "failed";
                /** @description Only events of this type. */
                readonly type?: string;
                /** @description The `next` of the page before. */
                readonly before?: number;
                readonly limit?: components["parameters"]["limit"];
            };
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The deliveries. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
                /** @description The id of the event. */
                readonly event: components["parameters"]["event"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryDetails"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly replayDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook: components["parameters"]["webhook"];
                /** @description The id of the event. */
                readonly event: components["parameters"]["event"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Replayed"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listOwners: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The owners. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Owner"][];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly createOwner: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewOwner"];
            };
        };
        readonly responses: {
            /** @description The owner. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Owner"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly changePlan: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly owner: components["parameters"]["owner"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PlanChange"];
            };
        };
        readonly responses: {
            /** @description The plan. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnerPlan"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly setOwnerEmail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly owner: components["parameters"]["owner"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["EmailSetting"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["EmailSetting"];
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly inviteOwner: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly owner: components["parameters"]["owner"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The link. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invitation"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly listAuditEntries: {
        readonly parameters: {
            readonly query?: {
                /** @description Only changes by this one, such as `accounts/operator`. */
                readonly actor?: string;
                /** @description Only this action, such as `key.revoke`. */
                readonly action?: string;
                /** @description Only changes of this one, such as `keys/key_4fK2mQ9xW1Zt`. */
                readonly subject?: string;
                /** @description Only from this instant on, in milliseconds since 1970. */
                readonly sinceMs?: number;
                /** @description Only before this instant, in milliseconds since 1970. */
                readonly untilMs?: number;
                /** @description The `nextCursor` of the page before. */
                readonly cursor?: components["parameters"]["cursor"];
                readonly limit?: components["parameters"]["limit"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The entries. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditPage"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
    readonly getOverview: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The overview. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Overview"];
                };
            };
            readonly "4XX": components["responses"]["Refused"];
            readonly "5XX": components["responses"]["Failed"];
        };
    };
}
export interface paths {
    readonly "/session": { readonly get: operations["getSession"]; readonly post: operations["signIn"]; readonly delete: operations["signOut"] };
    readonly "/sessions": { readonly get: operations["listSessions"]; readonly delete: operations["endOtherSessions"] };
    readonly "/sessions/{session}": { readonly delete: operations["endSession"] };
    readonly "/welcome": { readonly post: operations["useWelcomeLink"] };
    readonly "/password": { readonly put: operations["changePassword"] };
    readonly "/session/passkey": { readonly post: operations["requestPasskey"] };
    readonly "/session/second-factor": { readonly post: operations["completeSignIn"] };
    readonly "/second-factors": { readonly get: operations["getSecondFactors"] };
    readonly "/second-factors/totp": { readonly post: operations["beginTotp"]; readonly put: operations["confirmTotp"]; readonly delete: operations["removeTotp"] };
    readonly "/second-factors/passkeys": { readonly post: operations["createPasskey"]; readonly put: operations["addPasskey"] };
    readonly "/second-factors/passkeys/{passkey}": { readonly put: operations["renamePasskey"]; readonly delete: operations["removePasskey"] };
    readonly "/second-factors/recovery-codes": { readonly post: operations["replaceRecoveryCodes"] };
    readonly "/account/email": { readonly get: operations["getEmail"]; readonly put: operations["setEmail"] };
    readonly "/projects": { readonly get: operations["listProjects"]; readonly post: operations["createProject"] };
    readonly "/projects/{project}": { readonly get: operations["getProject"] };
    readonly "/projects/{project}/rollback": { readonly post: operations["rollBackProject"] };
    readonly "/projects/{project}/unpublish": { readonly post: operations["unpublishProject"] };
    readonly "/projects/{project}/deployments": { readonly get: operations["listDeployments"]; readonly post: operations["beginDeployment"] };
    readonly "/projects/{project}/deployments/{deployment}": { readonly delete: operations["cancelDeployment"] };
    readonly "/projects/{project}/deployments/{deployment}/contents/{hash}": { readonly put: operations["uploadContent"] };
    readonly "/projects/{project}/deployments/{deployment}/finish": { readonly post: operations["finishDeployment"] };
    readonly "/projects/{project}/deployments/{deployment}/publish": { readonly post: operations["publishDeployment"] };
    readonly "/domains": { readonly get: operations["listAllDomains"] };
    readonly "/edges": { readonly get: operations["getEdges"] };
    readonly "/projects/{project}/domains": { readonly get: operations["listDomains"]; readonly post: operations["addDomain"] };
    readonly "/projects/{project}/domains/{host}": { readonly get: operations["getDomain"]; readonly delete: operations["removeDomain"] };
    readonly "/projects/{project}/domains/{host}/move": { readonly post: operations["moveDomain"] };
    readonly "/projects/{project}/domains/{host}/hsts": { readonly put: operations["setDomainHsts"] };
    readonly "/projects/{project}/domains/{host}/verify": { readonly post: operations["verifyDomain"] };
    readonly "/projects/{project}/domains/{host}/events": { readonly get: operations["followDomain"] };
    readonly "/projects/{project}/routing": { readonly get: operations["getRouting"]; readonly put: operations["replaceRouting"] };
    readonly "/keys": { readonly get: operations["listKeys"]; readonly post: operations["createKey"] };
    readonly "/keys/{key}/rotate": { readonly post: operations["rotateKey"] };
    readonly "/keys/{key}/revoke": { readonly post: operations["revokeKey"] };
    readonly "/catalogue-key": { readonly post: operations["createCatalogueKey"] };
    readonly "/webhooks": { readonly get: operations["listWebhooks"]; readonly post: operations["createWebhook"] };
    readonly "/webhooks/{webhook}": { readonly get: operations["getWebhook"]; readonly put: operations["updateWebhook"]; readonly delete: operations["removeWebhook"] };
    readonly "/webhooks/{webhook}/enable": { readonly post: operations["enableWebhook"] };
    readonly "/webhooks/{webhook}/disable": { readonly post: operations["disableWebhook"] };
    readonly "/webhooks/{webhook}/test": { readonly post: operations["testWebhook"] };
    readonly "/webhooks/{webhook}/rotate": { readonly post: operations["rotateWebhook"] };
    readonly "/webhooks/{webhook}/replay": { readonly post: operations["replayFailed"] };
    readonly "/webhooks/{webhook}/deliveries": { readonly get: operations["listDeliveries"] };
    readonly "/webhooks/{webhook}/deliveries/{event}": { readonly get: operations["getDelivery"] };
    readonly "/webhooks/{webhook}/deliveries/{event}/replay": { readonly post: operations["replayDelivery"] };
    readonly "/owners": { readonly get: operations["listOwners"]; readonly post: operations["createOwner"] };
    readonly "/owners/{owner}/plan": { readonly put: operations["changePlan"] };
    readonly "/owners/{owner}/email": { readonly put: operations["setOwnerEmail"] };
    readonly "/owners/{owner}/invite": { readonly post: operations["inviteOwner"] };
    readonly "/audit": { readonly get: operations["listAuditEntries"] };
    readonly "/overview": { readonly get: operations["getOverview"] };
}
