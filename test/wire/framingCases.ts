/**
 * Requests whose framing servers are known to disagree about: what we do, by which section, and where
 * nginx or `node:http` do otherwise, why. Each is put to all three, so that a change of any is noticed.
 */
import { bodyFramings } from "./framingOfBodies.ts";
import { headFramings } from "./framingOfHeads.ts";

/** Another reading than ours, and why we differ. */
export interface Difference {
  readonly reading: string;
  readonly why: string;
}

export interface FramingCase {
  readonly what: string;
  /** Of RFC 9112, unless it names another one. */
  readonly section: string;
  readonly bytes: string;
  readonly ours: string;
  readonly nginx?: Difference;
  readonly node?: Difference;
}

export const framingCases: readonly FramingCase[] = [...headFramings, ...bodyFramings];
