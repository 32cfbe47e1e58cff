import { describeOnEngines, type Engine } from "../engines.ts";
import { describeWithBed } from "./bed/tools.ts";

/** Tests with a bed, once on each engine. */
export function describeWithBedOnEngines(name: string, body: (engine: Engine) => void): void {
  describeOnEngines(name, body, describeWithBed);
}
