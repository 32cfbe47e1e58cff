/** The platforms that a release has an executable for. docs/guide/platforms.md says what each is worth. */
export const targets: readonly string[] = ["linux-x64", "linux-arm64", "darwin-arm64"];

/** Debian's names of the Linux ones. */
export const debianArchitectures: readonly string[] = ["amd64", "arm64"];
