import { describe, expect, it } from "vitest";
import { latest, unpack } from "./socket";

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

describe("compressed answers", () => {
  it("come out as they went in, and small ones are left alone", async () => {
    const plain = new TextEncoder().encode('{"id":1}'.repeat(5000));
    const gzip = new Blob([plain]).stream().pipeThrough(new CompressionStream("gzip"));
    const packed = new Uint8Array(await new Response(gzip).arrayBuffer());
    const sent = new Uint8Array(4 + packed.length).fill(0xff, 0, 4);
    sent.set(packed, 4);
    expect(new Uint8Array(await unpack(sent.buffer))).toEqual(plain);
    const small = new Uint8Array([8, 0, 0, 0, 1, 2, 3, 4]).buffer;
    expect(await unpack(small)).toBe(small);
    const broken = new Uint8Array([255, 255, 255, 255, 1, 2, 3]).buffer;
    await expect(unpack(broken)).rejects.toThrow();
  });
});
