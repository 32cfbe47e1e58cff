/** Where the dashboard's API stands on the service's own origin. */
export const base = "/internal/v1";

export function isInternal(path: string): boolean {
  return path.startsWith(base) && (path.length === base.length || path[base.length] === "/");
}
