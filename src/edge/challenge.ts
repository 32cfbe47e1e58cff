/** Where a certificate authority asks for the proof that a host is ours (RFC 8555, section 8.3). */
export const challengePrefix = "/.well-known/acme-challenge/";

/** The base64url alphabet, and longer than any authority's. */
export const challengeToken = /^[A-Za-z0-9_-]{1,256}$/;
