/** The domain service as commands use it: as the operator, on the store itself. */

import { isRefusal } from "../core/problems.ts";
import type { Actor, DomainService } from "../hosting/domains/domainService.ts";
import type { Stores } from "../storage/stores.ts";
import type { Operand, Option } from "./command.ts";
import { type CliContext, CommandFailure } from "./context.ts";
import { nextStep, type Subject } from "./domainsNextStep.ts";
import { withStores } from "./withStores.ts";

export const operator: Actor = { kind: "operator" };

export const whichHost: Operand = { shown: "<host>", summary: "The attached name" };
export const ofProject: Readonly<Record<string, Option>> = {
  project: { value: "<slug>", summary: "Whose, where several projects claim the name" },
};

export interface OpenDomains {
  readonly service: DomainService;
  readonly stores: Stores;
}

/** `subject` is what the command was given, for the words about what to type next. */
export function withDomainService<T>(
  context: CliContext,
  work: (open: OpenDomains) => Promise<T>,
  subject: Subject = {},
): Promise<T> {
  const { target, reserved } = context.domainSettings();
  return withStores(context, async (stores) => {
    // Loaded here: the list of public suffixes would make every other command slower.
    const { DomainService } = await import("../hosting/domains/domainService.ts");
    const service = new DomainService({ ...stores, clock: context.clock, target, reserved });
    return work({ service, stores }).catch(async (cause: unknown) => {
      if (!isRefusal(cause)) throw cause;
      const { code, message } = cause;
      const next = await nextStep(code, subject, stores);
      const exitCode = code === "host_invalid" ? 2 : 1;
      const said = next === undefined ? message : `${message} ${next}`;
      throw new CommandFailure(said, exitCode, undefined, code);
    });
  });
}
