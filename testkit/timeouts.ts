/**
 * After this long, what a test waits for is held to be never coming. It only keeps a run from
 * hanging and measures nothing: on a machine that is ten times slower every test still passes.
 */
export const hangMs = 120_000;

/** Of a test as a whole, and of what is done before and after it; longer, so that a wait tells first. */
export const testMsMax = 600_000;
