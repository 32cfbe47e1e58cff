/** Progress, on stderr: stdout is for the table. */
export function say(line: string): void {
  console.error(`bench: ${line}`);
}
