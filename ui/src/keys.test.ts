import { describe, expect, it } from "vitest";
import { keyLabel, keyName } from "./keys";

const press = (key: string, more: Partial<KeyboardEvent> = {}) => keyName({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });

describe("keys", () => {
  it("names letters with Shift and signs without", () => {
    expect(press("p")).toBe("P");
    expect(press("P", { shiftKey: true })).toBe("Shift+P");
    expect(press("?", { shiftKey: true })).toBe("?");
    expect(press("Enter", { shiftKey: true })).toBe("Shift+Enter");
  });
  it("takes the command key of a Mac for Ctrl", () => {
    expect(press("k", { metaKey: true })).toBe("Ctrl+K");
    expect(press("Z", { ctrlKey: true, shiftKey: true })).toBe("Ctrl+Shift+Z");
    expect(keyLabel("Ctrl+K", true)).toBe("⌘K");
    expect(keyLabel("Shift+Left", false)).toBe("Shift+←");
  });
});
