/** The name of a browser, as people know it, by its User-Agent. */
const browsers: readonly [mark: RegExp, name: string][] = [
  [/\bEdg\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\bChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly [mark: RegExp, name: string][] = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

export function browserOf(agent: string): string {
  const nameIn = (list: readonly [RegExp, string][]) =>
    list.find(([mark]) => mark.test(agent))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined) return agent.slice(0, 60) || "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
