/** What `scripts/test.ts` decides without running anything. */

/** Left out with --quick: what starts other programs or a browser, or takes long for another reason. */
export const slow: readonly string[] = [
  "test/{check,cli,dashboard,end-to-end,postgres,proxies,simulation,store,torture}/**",
  "test/accounts/{firstStart,invite}.test.ts",
  "test/acme/{https,pebble}.test.ts",
  "test/client/{browser,build}.test.ts",
  "test/docs/{packedChromium,reading,samples,tryIt,types}.test.ts",
  "test/http/{adminPort,dashboardApiProjects,responseCache*,session*,sitesLanding}.test.ts",
  "test/scripts/{build,bundle,packages,releaseCommand}.test.ts",
  "test/scripts/rehearsal/{nameServer,rehearsal}.test.ts",
  "test/sites/{ownDocsProcess,publish}.test.ts",
  "test/webhooks/{delivering,publishedLibraries}.test.ts",
  "test/wire/{comparison,descriptors}.test.ts",
];

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Of a report in the format of JUnit; without one, something failed before there was any. */
export function countsIn(report: string): Counts {
  const root = /<testsuites[^>]*>/.exec(report)?.[0];
  if (root === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const attribute = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const failed = attribute("failures") + attribute("errors");
  const skipped = attribute("skipped");
  return { passed: attribute("tests") - failed - skipped, failed, skipped };
}
