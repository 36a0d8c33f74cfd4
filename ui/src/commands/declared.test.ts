import { describe, expect, it } from "vitest";
import { optionCommands } from "./declared";
import type { Opt } from "../protocol/Opt";

const opt = (kind: Opt["kind"], key: string | null): Opt => ({
  name: "colour",
  title: "Colour",
  kind,
  usual: "a",
  auto: false,
  when: null,
  key,
});

describe("an option as commands", () => {
  it("has one for each value, and its key steps through them", () => {
    const set: string[] = [];
    const kind: Opt["kind"] = {
      is: "choice",
      values: [
        ["a", "One"],
        ["b", "Two"],
      ],
    };
    const made = optionCommands(opt(kind, "C"), "b", (value) => set.push(value), true);
    expect(made.map((c) => [c.title, c.keys])).toEqual([
      ["Colour: next", ["C"]],
      ["Colour: One", []],
      ["Colour: Two", []],
    ]);
    made[0]!.run();
    made[2]!.run();
    expect(set).toEqual(["a", "b"]);
  });
  it("is switched where it is a flag, and cannot be done where it is not shown", () => {
    const set: string[] = [];
    const [flag] = optionCommands(opt({ is: "flag" }, "C"), "false", (value) => set.push(value), false);
    expect([flag!.title, flag!.keys, flag!.when!()]).toEqual(["Colour: on", ["C"], false]);
    flag!.run();
    expect(set).toEqual(["true"]);
  });
});
