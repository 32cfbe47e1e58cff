/** What the dashboard's API refuses by itself, beside what the desk and the service refuse. */
export const internalRefusals = {
  unauthorized: {
    status: 401,
    message: "Send an access token: Authorization: Bearer <token>. The operator makes them.",
  },
  forbidden: {
    status: 403,
    message: "This API answers no page of another origin.",
  },
  streams_exhausted: {
    status: 429,
    message: "Too many streams are open already. Close one, or try again shortly.",
  },
} as const;

export type InternalRefusalCode = keyof typeof internalRefusals;

export class InternalRefusal extends Error {
  readonly code: InternalRefusalCode;

  constructor(code: InternalRefusalCode) {
    super(internalRefusals[code].message);
    this.name = "InternalRefusal";
    this.code = code;
  }
}
