import { describe, expect, it } from "vitest";
import type { Model } from "./comm";
import { addressOf, changed, changeOf, partsOf, SharedAddress, type Change } from "./merge";
import cases from "./testdata/changes.json";

const sorted = (address: string): [string, string][] => [...partsOf(address)].sort();

describe("parts of an address", () => {
  // The same cases are read by the tests of the kernel's side.
  it.each(cases as { from: string; change: Change; to: string }[])("$from → $to", ({ from, change, to }) => {
    expect(sorted(changed(from, [change]))).toEqual(sorted(to));
    expect(sorted(changed(from, [changeOf(from, to)]))).toEqual(sorted(to));
    expect(sorted(addressOf(partsOf(from)))).toEqual(sorted(from));
  });
});

/** Numbers that can be repeated. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A kernel that hears the page late, and a page that hears the kernel late; both in order. */
class Talk {
  kernel = "v=1&p=a:0";
  toKernel: { changed: Change; by: string; number: number }[] = [];
  toPage: (() => void)[] = [];
  page = "";
  private front = { address: this.kernel, _heard: "" };
  private listeners: (() => void)[] = [];
  private readonly model: Model = {
    get: (name) => this.front[name as "address"],
    set: () => {},
    save_changes: () => {},
    send: (content) => void this.toKernel.push(content as Talk["toKernel"][0]),
    on: (_, listener) => void this.listeners.push(listener as () => void),
    off: () => {},
  };
  readonly shared = new SharedAddress(this.model);

  constructor() {
    const follow = (): void => this.shared.took((this.page = this.shared.text()));
    this.shared.watch(follow);
    follow();
  }
  private tell(name: "address" | "_heard", value: string): void {
    this.toPage.push(() => {
      this.front[name] = value;
      this.listeners.forEach((listener) => listener());
    });
  }
  byHand(change: Change): void {
    this.shared.write((this.page = changed(this.page, [change])));
  }
  byScript(change: Change): void {
    this.tell("address", (this.kernel = changed(this.kernel, [change])));
  }
  hear(): void {
    const message = this.toKernel.shift();
    if (!message) return;
    this.byScript(message.changed);
    this.tell("_heard", `${message.by} ${message.number}`);
  }
  follow(): void {
    this.toPage.shift()?.();
  }
}

describe("a page and a script that write at the same time", () => {
  it("keeps what both did", () => {
    const talk = new Talk();
    talk.byHand({ s: "0:grains:3" });
    talk.byScript({ "0/grains;lens": "low" });
    talk.follow();
    expect(sorted(talk.page)).toEqual(sorted("v=1&p=a:0&s=0:grains:3&0/grains=;lens=low"));
    talk.hear();
    expect(sorted(talk.kernel)).toEqual(sorted(talk.page));
  });

  it("never shows again what was left behind", () => {
    const talk = new Talk();
    const seen: string[] = [];
    talk.shared.watch(() => seen.push(partsOf(talk.page).get("w0") ?? ""));
    for (const window of ["0~1", "0~2", "0~3"]) talk.byHand({ w0: window });
    for (let i = 0; i < 3; i++) talk.hear();
    while (talk.toPage.length > 0) talk.follow();
    expect(new Set(seen)).toEqual(new Set(["0~3"]));
  });

  it("takes the later of two who write the same", () => {
    const talk = new Talk();
    talk.byHand({ r0: "0-3" });
    talk.byScript({ r0: "4-7" });
    talk.hear();
    while (talk.toPage.length > 0) talk.follow();
    expect(partsOf(talk.page).get("r0")).toBe("0-3");
    expect(sorted(talk.page)).toEqual(sorted(talk.kernel));
  });

  it("agrees whatever the order in which messages come", () => {
    // Parts of one side only: each must be as that side left it.
    const own = { hand: ["s", "0/grains", "w0"], script: ["0/grains;lens", "r0", "n;0:grains:1"] };
    for (let seed = 0; seed < 300; seed++) {
      const [talk, random] = [new Talk(), chance(seed)];
      const last = new Map<string, string | null>();
      const change = (keys: string[]): Change => {
        const key = keys[random(keys.length)]!;
        const value = random(4) === 0 ? null : String(random(1000));
        last.set(key, value);
        return { [key]: value };
      };
      for (let step = 0; step < 40; step++) {
        const acts = [
          () => talk.byHand(change(own.hand)),
          () => talk.byScript(change(own.script)),
          () => talk.hear(),
          () => talk.follow(),
        ];
        acts[random(4)]!();
      }
      while (talk.toKernel.length > 0) talk.hear();
      while (talk.toPage.length > 0) talk.follow();
      expect(sorted(talk.page)).toEqual(sorted(talk.kernel));
      for (const [key, value] of last) expect(partsOf(talk.kernel).get(key) ?? null, key).toBe(value);
    }
  });
});
