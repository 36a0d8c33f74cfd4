import { describe, expect, it } from "vitest";
import { exact, quantity, separated, short, three } from "./format";
import cases from "./protocol/formats.json";
import type { Unit } from "./protocol/Unit";

const THIN = "\u2009";

describe("numbers", () => {
  it("are written as the server writes them", () => {
    expect(cases.length).toBeGreaterThan(100);
    for (const { value, unit, text, exact: full } of cases) {
      expect(quantity(value, unit as Unit), `${value} ${unit}`).toBe(text);
      expect(exact(value, unit as Unit), `${value} ${unit} in full`).toBe(full);
    }
  });
  it("have three digits and thin spaces", () => {
    expect([3.514, 35.14, 351.4, 3514, 0].map(three)).toEqual(["3.51", "35.1", "351", `3${THIN}514`, "0"]);
    expect(separated(-20_000_000)).toBe(`−20${THIN}000${THIN}000`);
    expect([512, 1.5, 12_345, 4.56e6].map(short)).toEqual(["512", "1.50", `12.3${THIN}k`, `4.56${THIN}M`]);
  });
});
