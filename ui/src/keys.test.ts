import { describe, expect, it } from "vitest";
import { keyLabel, keyName, typing } from "./keys";

const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
  keyName({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });

describe("keys", () => {
  it("names letters with Shift and signs without", () => {
    expect(press("p")).toBe("P");
    expect(press("P", { shiftKey: true })).toBe("Shift+P");
    expect(press("?", { shiftKey: true })).toBe("?");
    expect(press("Enter", { shiftKey: true })).toBe("Shift+Enter");
  });
  it("leaves letters to text fields, and only arrows to sliders", () => {
    const field = (tagName: string, type = "") =>
      ({ tagName, type, isContentEditable: false }) as unknown as EventTarget;
    expect(typing(field("INPUT", "search"), "P")).toBe(true);
    expect(typing(field("INPUT", "range"), "P")).toBe(false);
    expect(typing(field("INPUT", "range"), "Left")).toBe(true);
    expect(typing(field("INPUT", "checkbox"), "Space")).toBe(true);
    expect(typing(field("DIV"), "Left")).toBe(false);
    expect(typing(null, "P")).toBe(false);
  });
  it("takes the command key of a Mac for Ctrl", () => {
    expect(press("k", { metaKey: true })).toBe("Ctrl+K");
    expect(press("Z", { ctrlKey: true, shiftKey: true })).toBe("Ctrl+Shift+Z");
    expect(keyLabel("Ctrl+K", true)).toBe("⌘K");
    expect(keyLabel("Shift+Left", false)).toBe("Shift+←");
  });
});
