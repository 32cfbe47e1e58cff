/** The desk of domains as the command line comes to it: as the operator, straight on the store. */
import type { Clock } from "../clock.ts";
import type { Actor, DomainDesk } from "../domains/desk.ts";
import { DeskRefusal } from "../domains/refusal.ts";
import type { Stores } from "../stores.ts";
import type { Operand, Option } from "./command.ts";
import { nextStep, type Subject } from "./domainsNextStep.ts";
import { withStores } from "./withStores.ts";
import { CommandFailure, type World } from "./world.ts";

export const operator: Actor = { kind: "operator" };

export const whichHost: Operand = { shown: "<host>", summary: "The attached name" };
export const ofProject: Readonly<Record<string, Option>> = {
  project: { value: "<slug>", summary: "Whose, where several projects claim the name" },
};

export interface OpenDesk {
  readonly desk: DomainDesk;
  readonly stores: Stores;
}

/** `subject` is what the command was given, for the words about what to type next. */
export function withDesk<T>(
  world: World,
  work: (open: OpenDesk) => Promise<T>,
  subject: Subject = {},
): Promise<T> {
  const { target, reserved } = world.domainSettings();
  return withStores(world, async (stores) => {
    // Loaded here: the list of public suffixes would make every other command slower.
    const { DomainDesk } = await import("../domains/desk.ts");
    const desk = new DomainDesk({ ...stores, clock: world.clock, target, reserved });
    return work({ desk, stores }).catch(async (cause: unknown) => {
      if (!(cause instanceof DeskRefusal)) throw cause;
      const { code, message } = cause;
      const next = await nextStep(code, subject, stores);
      const exitCode = code === "host_invalid" ? 2 : 1;
      const said = next === undefined ? message : `${message} ${next}`;
      throw new CommandFailure(said, exitCode, undefined, code);
    });
  });
}

export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}
