/** The settings of mails. */
import { expect, test } from "bun:test";
import { ConfigError, readConfig } from "../src/config/config.ts";

function complaintOf(variables: Record<string, string>): string {
  try {
    readConfig(variables);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message;
    throw thrown;
  }
  return "";
}

test("a mail server is used with TLS, unless it is on this machine or the address says so", () => {
  const serverAt = (PETSTORE_SMTP_URL: string) =>
    readConfig({ PETSTORE_SMTP_URL, PETSTORE_MAIL_FROM: "a@example.com" }).mail?.server;
  const login = { user: "us@er", password: "pass/word" };
  expect(serverAt("smtp://us%40er:pass%2Fword@mail.example.com")).toEqual({
    ...{ host: "mail.example.com", port: 587, security: "starttls", login },
  });
  expect(serverAt("smtps://mail.example.com")).toEqual({
    ...{ host: "mail.example.com", port: 465, security: "tls", login: undefined },
  });
  for (const [address, host, port, security] of [
    ["smtp://mail.example.com:2525/", "mail.example.com", 2525, "starttls"],
    ["smtp://relay.internal:25?tls=off", "relay.internal", 25, "none"],
    ["smtp://localhost:25", "localhost", 25, "none"],
    ["smtp://[::1]:25", "::1", 25, "none"],
    ["smtps://127.0.0.1", "127.0.0.1", 465, "tls"],
  ] as const) {
    expect(serverAt(address)).toEqual({ host, port, security, login: undefined });
  }
});

test.each([
  "mail.example.com",
  "http://mail.example.com",
  "smtp://",
  "smtp://mail.example.com/path",
  "smtp://mail.example.com?tls=on",
  "smtps://mail.example.com?tls=off",
  "smtp://user:word%ZZ@mail.example.com",
  "smtp://mail.example.com:99999",
])("%s is no mail server, and is not repeated", (address) => {
  const from = { PETSTORE_MAIL_FROM: "a@example.com" };
  const complaint = complaintOf({ PETSTORE_SMTP_URL: address, ...from });
  expect(complaint).toStartWith("PETSTORE_SMTP_URL must be the address of a mail server");
  expect(complaint.split("\n")).toHaveLength(1);
  expect(complaint).not.toContain("word%ZZ");
});

test("mail has a sender, and an address of the operator or of the ACME account", () => {
  const server = { PETSTORE_SMTP_URL: "smtp://localhost:25" };
  const mailOf = (settings: Record<string, string>) => readConfig({ ...server, ...settings }).mail;
  expect(mailOf({ PETSTORE_MAIL_FROM: "Shop of Pets <a@bücher.example>" })).toMatchObject({
    from: { name: "Shop of Pets", address: "a@xn--bcher-kva.example" },
    operator: undefined,
  });
  const from = { PETSTORE_MAIL_FROM: "a@example.com" };
  expect(mailOf(from)?.from).toEqual({ name: "Pet Store", address: "a@example.com" });
  const sites = { PETSTORE_SITES_HOST: "sites.example.com" };
  const contact = { ...from, ...sites, PETSTORE_ACME_CONTACT: "ca@example.com" };
  expect(mailOf(contact)?.operator).toBe("ca@example.com");
  const operator = { ...contact, PETSTORE_OPERATOR_EMAIL: "root@example.com" };
  expect(mailOf(operator)?.operator).toBe("root@example.com");
  expect(readConfig(from).mail).toBeUndefined();
  expect(complaintOf(server)).toMatch(/^PETSTORE_MAIL_FROM must be .*; it is not set\.$/);
  for (const wrong of ["nobody", "A <b>", 'A "B" <a@example.com>', "A\nB <a@example.com>"]) {
    const complaint = complaintOf({ ...server, PETSTORE_MAIL_FROM: wrong });
    expect(complaint).toStartWith("PETSTORE_MAIL_FROM must be an e-mail address");
  }
  const nowhere = { PETSTORE_OPERATOR_EMAIL: "root" };
  expect(complaintOf(nowhere)).toStartWith("PETSTORE_OPERATOR_EMAIL must be an e-mail address");
});
