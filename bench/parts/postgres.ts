/** Ours on PostgreSQL beside pgbench on the same server. */
import { median } from "../figures.ts";
import { lacksForPostgres, measurePostgres } from "../postgres.ts";
import { say } from "../say.ts";
import { figure } from "../table.ts";
import type { Part } from "./part.ts";

export const comparePostgres: Part = async (_arena, _contestants, options) => {
  const { rounds, seconds, warmUpSeconds } = options;
  const shape = {
    name: "postgres",
    title: "On PostgreSQL, beside pgbench",
    columns: ["work", "ours, requests/s", "pgbench, transactions/s", "÷ pgbench"],
  };
  const lacking = lacksForPostgres();
  if (lacking !== undefined) {
    return { ...shape, method: `Not measured: ${lacking}.`, rows: [], facts: {} };
  }
  const { rates, ratios } = await measurePostgres({ seconds, rounds, warmUpSeconds, say });
  const rate = (name: keyof typeof rates) => median(rates[name]);
  const select = Math.max(rate("select8"), rate("select64"));
  const rows = [
    ["getPet, one of 10,000", rate("getPetOften"), select, ratios.getPetOften],
    ["getPet, any of all pets", rate("getPet"), select, ratios.getPet],
    ["the same, by two processes", rate("getPetByTwo"), select, ratios.getPetByTwo],
    ["listPets by id", rate("petById"), select, ratios.petById],
    ["listPets of 20", rate("listOf20"), rate("page64"), ratios.listOf20],
    ["createPet", rate("createPet"), rate("insert64"), ratios.createPet],
  ] as const;
  return {
    ...shape,
    method:
      "Server, service and load share this machine. getPet beside `pgbench -S -M prepared` with 8 or 64 clients, whichever is faster; lists and creates beside the same statements in pgbench with 64. Ours gives kept answers to one of 10,000 and to lists, and has to read the others.",
    rows: rows.map(([work, ...numbers]) => [work, ...numbers.map(figure)]),
    facts: {
      getPetOfPgbench: ratios.getPetOften,
      getPetAnyOfPgbench: ratios.getPet,
      getPetAnyByTwoOfPgbench: ratios.getPetByTwo,
    },
  };
};
