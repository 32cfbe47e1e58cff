import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { describeOnEngines, type Engine } from "../engines.ts";

/** Tests with a test bed, once on each engine. */
export function describeWithTestBedOnEngines(name: string, body: (engine: Engine) => void): void {
  describeOnEngines(name, body, describeWithTestBed);
}
