/**
 * How often a test repeats what it can only find by chance: a few times in `npm test`, so that each
 * change is tried, and many times with PETSTORE_TEST_ROUNDS=many, as the nightly run has it.
 */
export function rounds(few: number, many: number): number {
  const asked = process.env["PETSTORE_TEST_ROUNDS"] ?? "few";
  if (asked === "few") return few;
  if (asked === "many") return many;
  throw new Error(`PETSTORE_TEST_ROUNDS is ${asked}, and must be few or many.`);
}
