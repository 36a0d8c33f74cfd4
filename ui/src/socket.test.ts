import { describe, expect, it } from "vitest";
import { latest } from "./socket";

/** A request whose answer the test releases by hand. */
function manual() {
  const asked: { q: number; release: (v: string) => void; fail: (e: Error) => void }[] = [];
  const ask = (q: number) => new Promise<string>((release, fail) => asked.push({ q, release, fail }));
  return { asked, ask };
}
const settle = () => new Promise((r) => setTimeout(r, 0));

describe("coalescing", () => {
  it("keeps one in flight and then sends only the newest", async () => {
    const { asked, ask } = manual();
    const got: number[] = [];
    const send = latest(ask, (_a, q: number) => got.push(q), () => {});
    send(1);
    send(2);
    send(3);
    expect(asked.map((a) => a.q)).toEqual([1]);
    asked[0]!.release("a");
    await settle();
    expect(asked.map((a) => a.q)).toEqual([1, 3]);
    asked[1]!.release("b");
    await settle();
    expect(got).toEqual([1, 3]);
    send(4);
    expect(asked.length).toBe(3);
  });
  it("goes on after a failure", async () => {
    const { asked, ask } = manual();
    const failed: number[] = [];
    const send = latest(ask, () => {}, (_e, q: number) => failed.push(q));
    send(1);
    send(2);
    asked[0]!.fail(new Error("no"));
    await settle();
    expect(failed).toEqual([1]);
    expect(asked.map((a) => a.q)).toEqual([1, 2]);
  });
});
