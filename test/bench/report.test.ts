import { describe, expect, test } from "bun:test";
import { markdownReport, plainReport } from "../../bench/report.ts";
import { resultsWith } from "./results.ts";

const rates = {
  getPet: { ours: 900, nginx: 1_000 },
  getPetAny: { ours: 500, fastify: 250 },
  getPetAmongOrders: { ours: 400, fastify: 200 },
  createPet: { ours: 9_000, fastify: 1_000 },
};

/** The text of each section, by its title. */
function sectionsOf(results: ReturnType<typeof resultsWith>): Map<string, string> {
  const sections = markdownReport(results, "chart.svg").split("\n## ").slice(1);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf("\n")), text]));
}

describe("the report", () => {
  test("says beside each work whether ours gave kept answers or had to read", () => {
    const sections = sectionsOf(resultsWith(rates));
    expect(sections.get("getPet")).toContain("from the finished answers that it keeps");
    expect(sections.get("getPet, any of all pets")).toContain("has to read");
    const amongOrders = sections.get("getPet while 100 orders a second are placed");
    expect(amongOrders).toContain("ends the cached responses that depend on it");
    expect(sections.get("createPet, durable")).not.toContain("keeps");
  });

  test("says how many orders were placed, where any were", () => {
    const results = resultsWith(rates);
    const figures = results.figures.map((each) =>
      each.work === "getPetAmongOrders" ? { ...each, ordersPerSecond: 98.7 } : each,
    );
    const sections = sectionsOf({ ...results, figures });
    const [amongOrders, getPet] = ["getPet while 100 orders a second are placed", "getPet"];
    expect(sections.get(amongOrders)).toContain("orders/s |");
    expect(sections.get(amongOrders)).toContain("98.7 |");
    expect(sections.get(getPet)).not.toContain("orders/s");
  });

  test("says how long everybody was warmed up", () => {
    const results = resultsWith(rates);
    const { warmUpSeconds } = results.options;
    expect(sectionsOf(results).get("The run")).toContain(`after ${warmUpSeconds} s of each work`);
  });

  test("names who could not take part, and why", () => {
    const results = resultsWith(rates);
    const absent = {
      ...{ name: "pocketbase", title: "PocketBase", version: "–", leavesOut: [] },
      absent: "no program",
    };
    const contestants = [...results.contestants, absent];
    const told = { ...results, contestants };
    expect(plainReport(told)).toMatch(/PocketBase +– +not measured: no program/);
  });
});
