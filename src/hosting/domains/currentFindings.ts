/** What is wrong with a domain now. */
import type { Domain, Issuance, Standing, Status } from "./domain.ts";
import type { Finding } from "./finding.ts";

export function currentFindings(
  { project, dns, certificate }: Domain,
  standing: Standing,
  status: Status,
): Finding[] {
  return [
    ...(status === "suspended" ? [suspension(standing, project)] : []),
    ...findingsOf(dns.findings, certificate.issuance),
  ];
}

function findingsOf(ofDns: readonly Finding[], issuance: Issuance | undefined): Finding[] {
  // A finding that persists is listed once, in its current form.
  const unlisted = (before: readonly Finding[] = [], listed: readonly Finding[]) =>
    before.filter(({ code }) => !listed.some((finding) => finding.code === code));
  // A refusal is not listed while the next attempt is in progress.
  const refusal = issuance?.ordering === true ? undefined : issuance?.refusal;
  const current = [...ofDns, ...unlisted(refusal?.findings, ofDns)];
  return [...unlisted(issuance?.delay, current), ...current];
}

function suspension({ paid, deployed }: Standing, project: string): Finding {
  const lacks = [
    ...(paid ? [] : ["the plan is free, and domains need the paid one"]),
    ...(deployed ? [] : [`${project} shows no deployment`]),
  ];
  const steps = [
    ...(paid ? [] : ["change the plan"]),
    ...(deployed ? [] : ["publish the project again"]),
  ];
  return {
    code: "SUSPENDED",
    message: `It is not served: ${lacks.join(", and ")}. The name stays yours.`,
    next: `To have it served again, ${steps.join(" and ")}.`,
  };
}
