import { describe, expect, it } from "vitest";
import { contrast, mixed, sixDigits, textOn } from "./ink";

describe("inks", () => {
  it("measures contrast as WCAG does", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 1);
  });
  it("chooses the text that can be read", () => {
    for (const colour of ["#4c7fb2", "#e29b00", "#b4c528", "#42379d", "#808080"]) {
      expect(contrast(textOn(colour), colour)).toBeGreaterThanOrEqual(4.3);
    }
  });
  it("mixes colours channel by channel", () => {
    expect(mixed("#000000", "#ff8000", 0.5)).toBe("#804000");
    expect(sixDigits("#fa0")).toBe("#ffaa00");
    expect(sixDigits("#fa0b1c")).toBe("#fa0b1c");
    expect(mixed("#123456", "#ffffff", 0)).toBe("#123456");
  });
});
