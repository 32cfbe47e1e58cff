import { moveOrder, placeOrder } from "./orderCommands.ts";
import { addPet, importPets } from "./petCommands.ts";

/**
 * Every write that shares its transaction with others, by name. Each first says what it wants to
 * know, and then decides in memory, before anything is written, whether it refuses.
 */
export const commands = { addPet, importPets, placeOrder, moveOrder };

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export type Argument<Name extends CommandName> = Parameters<Commands[Name]["decide"]>[0];
export type Result<Name extends CommandName> = ReturnType<Commands[Name]["decide"]>;

/** The pair is type-checked where it is submitted. */
export interface Write {
  readonly name: CommandName;
  readonly argument: unknown;
}
