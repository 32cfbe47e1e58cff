const patienceMs = 30_000;
const askAgainMs = 10;

/** Asks again and again, and gives up in the end. */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!(await ask())) {
    if (performance.now() > deadlineMs) {
      throw new Error(`In ${patienceMs / 1_000} s it did not come about that ${what}.`);
    }
    await Bun.sleep(askAgainMs);
  }
}
