import { describe, expect, it } from "vitest";
import { gridOf, nextOrder } from "./columns";
import type { Column } from "../protocol/Column";

const column = (name: string, unit: Column["unit"]): Column => ({
  name,
  title: name,
  about: "",
  unit,
  sorts: true,
});

describe("columns", () => {
  it("have room for what they hold", () => {
    const grid = gridOf([column("Name", null), column("Work", "ns"), column("Overwhelmingly", "ratio")]);
    expect(grid["grid-template-columns"].split(" ")).toHaveLength(6);
    expect(grid["grid-template-columns"]).toContain("minmax(180px, 3fr)");
    expect(parseInt(grid["min-width"])).toBeGreaterThan(180 + 60 + 100);
  });
  it("sort numbers from the largest, words by the alphabet, then the other way round, then not", () => {
    const usual = { sort: "", descending: true };
    const steps = (of: Column) => {
      const one = nextOrder(usual, of);
      const two = nextOrder(one, of);
      return [one, two, nextOrder(two, of)];
    };
    expect(steps(column("work", "ns"))).toEqual([
      { sort: "work", descending: true },
      { sort: "work", descending: false },
      usual,
    ]);
    expect(steps(column("name", null))).toEqual([
      { sort: "name", descending: false },
      { sort: "name", descending: true },
      usual,
    ]);
  });
});
