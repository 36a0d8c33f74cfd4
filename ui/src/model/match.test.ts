import { expect, it } from "vitest";
import { matches } from "./match";

it("puts the beginning of words before the middle, and all words before none", () => {
  expect(matches("Open to depth 3", "open")).toBeGreaterThan(matches("Reopen", "open"));
  expect(matches("Lens: none", "lens: none")).toBeGreaterThan(matches("Lens: none at all", "lens: none"));
  expect(matches("Split: another pane below", "pane split")).toBe(2);
  expect(matches("Split", "join")).toBe(0);
  expect(matches("anything", " ")).toBe(1);
});
