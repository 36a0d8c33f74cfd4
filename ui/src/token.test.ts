import { afterEach, describe, expect, it, vi } from "vitest";
import { split, takeToken } from "./token";

describe("the token", () => {
  const kept = new Map<string, string>();
  const replaced: string[] = [];
  const at = (href: string, storage: object = {}): void => {
    vi.stubGlobal("location", { href });
    vi.stubGlobal("history", { replaceState: (_s: null, _t: string, to: string) => replaced.push(to) });
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      ...storage,
    });
  };
  afterEach(() => {
    vi.unstubAllGlobals();
    kept.clear();
    replaced.length = 0;
  });

  it("is taken out of the address, and the rest stays", () => {
    expect(split("http://127.0.0.1:1/?x=1&token=a_-b#v=1&p=tasks.dag:0")).toEqual({
      token: "a_-b",
      rest: "/?x=1#v=1&p=tasks.dag:0",
    });
    expect(split("http://127.0.0.1:1/#v=1").token).toBeNull();
  });
  it("is kept for the next window", () => {
    at("http://127.0.0.1:1/?token=abc#v=1");
    expect(takeToken()).toBe("abc");
    expect(replaced).toEqual(["/#v=1"]);
    at("http://127.0.0.1:1/#v=1");
    expect(takeToken()).toBe("abc");
  });
  it("stays in the address where nothing is kept", () => {
    const refuse = (): never => {
      throw new Error("private");
    };
    at("http://127.0.0.1:1/?token=abc", { setItem: refuse, getItem: refuse });
    expect(takeToken()).toBe("abc");
    expect(replaced).toEqual([]);
    at("http://127.0.0.1:1/", { setItem: refuse, getItem: refuse });
    expect(takeToken()).toBe("");
  });
});
