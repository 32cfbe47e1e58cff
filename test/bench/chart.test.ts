import { describe, expect, test } from "bun:test";
import { drawChart } from "../../bench/chart.ts";
import { resultsWith } from "./results.ts";
import { type Element, everyElement, parseXml } from "./xml.ts";

const results = resultsWith({
  getPet: { ours: 900, nginx: 1_000, fastify: 250 },
  createPet: { ours: 8_000, bareSqlite: 10_000, fastify: 1_000 },
});

describe("the chart", () => {
  const drawn = () => {
    const svg = parseXml(drawChart(results));
    return { svg, elements: everyElement(svg) };
  };
  const number = (element: Element, name: string) => Number(element.attributes.get(name));

  test("is well-formed XML, whatever the processor is called", () => {
    const { svg, elements } = drawn();
    expect(svg.name).toBe("svg");
    expect(svg.attributes.get("xmlns")).toBe("http://www.w3.org/2000/svg");
    const shown = elements.map(({ text }) => text).join("\n");
    expect(shown).toContain(results.machine.processor);
  });

  test("has a bar for each figure, as long as its share of the fastest", () => {
    const bars = drawn().elements.filter(({ attributes }) =>
      attributes.get("class")?.startsWith("bar"),
    );
    expect(bars).toHaveLength(results.figures.length);
    const [ours, nginx, fastify] = bars.map((bar) => number(bar, "width"));
    expect((ours ?? 0) / (nginx ?? 0)).toBeCloseTo(0.9, 2);
    expect((fastify ?? 0) / (nginx ?? 0)).toBeCloseTo(0.25, 2);
  });

  test("keeps everything within its frame", () => {
    const { svg, elements } = drawn();
    for (const element of elements) {
      const right = number(element, "x") + (number(element, "width") || 0);
      const bottom = number(element, "y") + (number(element, "height") || 0);
      if (Number.isNaN(right) || Number.isNaN(bottom)) continue;
      expect(right).toBeLessThanOrEqual(number(svg, "width"));
      expect(bottom).toBeLessThanOrEqual(number(svg, "height"));
    }
  });

  test("says every figure in words for those who do not see it", () => {
    const description = drawn().elements.find(({ name }) => name === "desc")?.text ?? "";
    expect(description).toContain("ours 8,000");
    expect(description).toContain("nginx 1,000");
  });
});
