import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pause, SocketTransport } from "./socket";
import { questionText, StoredTransport } from "./stored";
import { GivenUp, latest, unpack, type Link, type Message } from "./transport";
import { HELLO, message } from "./testing/samples";
import type { Ask } from "./protocol/Ask";
import type { Look } from "./protocol/Look";

/** A socket that a test speaks through. */
class FakeSocket {
  static readonly OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 0;
  sent: { id: number; ask: string; question?: number }[] = [];
  onopen = (): void => {};
  onclose = (): void => {};
  onmessage = (_: { data: ArrayBuffer }): void => {};
  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    FakeSocket.made.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.readyState = 3;
    this.onclose();
  }
  open(): void {
    this.readyState = 1;
    this.onopen();
  }
}

const said = (socket: FakeSocket, json: unknown): void => socket.onmessage({ data: message(json) });
const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

describe("the socket", () => {
  let transport: SocketTransport;
  const links: Link["state"][] = [];
  const socket = (): FakeSocket => FakeSocket.made.at(-1)!;
  beforeEach(() => {
    vi.stubGlobal("WebSocket", FakeSocket);
    FakeSocket.made = [];
    links.length = 0;
    transport = new SocketTransport("ws://here/api/socket", "secret", "/api/picture");
    transport.watch((link) => links.push(link.state));
    transport.connect();
  });
  afterEach(() => {
    transport.close();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it("matches answers by id, in any order", async () => {
    const [a, b] = [transport.ask({ ask: "hello" }), transport.ask({ ask: "overview", run: 1 })];
    socket().open();
    expect(socket().sent.map((q) => q.ask)).toEqual(["hello", "overview"]);
    const [first, second] = socket().sent.map((q) => q.id);
    said(socket(), { id: second, ok: "two" });
    said(socket(), { id: first, ok: "one" });
    expect([(await a).ok, (await b).ok]).toEqual(["one", "two"]);
  });
  it("offers its token as a protocol", () => {
    expect(socket().protocols).toEqual(["crosscut", "token.secret"]);
  });
  it("tells progress before the last answer, and a refusal in words", async () => {
    socket().open();
    const heard: Message[] = [];
    const answer = transport.ask({ ask: "hello" }, { heard: (m) => heard.push(m) });
    said(socket(), { id: 1, progress: { share: 0.5, what: "half" } });
    said(socket(), { id: 1, ok: "draft", progress: { share: 0.9, what: "nearly" } });
    said(socket(), { id: 1, error: "there is no such thing" });
    await expect(answer).rejects.toThrow("there is no such thing");
    expect(heard.map((m) => [m.progress?.share, m.ok])).toEqual([
      [0.5, undefined],
      [0.9, "draft"],
    ]);
  });
  it("gives a question up, and says so", async () => {
    socket().open();
    const given = new AbortController();
    const answer = transport.ask({ ask: "hello" }, { signal: given.signal });
    given.abort();
    await expect(answer).rejects.toThrow(GivenUp);
    expect(socket().sent.at(-1)).toMatchObject({ ask: "cancel", question: 1 });
    said(socket(), { id: 1, error: "given up" });
    await settled();
    await expect(transport.ask({ ask: "hello" }, { signal: given.signal })).rejects.toThrow(GivenUp);
  });
  it("asks again what has no answer when the connection is back", async () => {
    vi.useFakeTimers();
    const answer = transport.ask({ ask: "hello" });
    socket().open();
    socket().close();
    expect(links).toEqual(["connecting", "open", "lost"]);
    vi.advanceTimersByTime(pause(1));
    expect(FakeSocket.made.length).toBe(2);
    socket().open();
    expect(socket().sent).toEqual([{ id: 1, ask: "hello" }]);
    vi.useRealTimers();
    said(socket(), { id: 1, ok: "again" });
    expect((await answer).ok).toBe("again");
  });
  it("waits longer each time, but not forever", () => {
    expect([1, 2, 3, 50].map(pause)).toEqual([500, 1000, 2000, 15_000]);
  });
});

describe("stored answers", () => {
  const look = (size: Look["size"]): Look => ({
    v: 1,
    view: "sample.graph",
    run: 0,
    trees: { things: { with: {}, cut: "3" } },
    options: {},
    scope: {},
    size,
  });
  const scene = (size: Look["size"]): Ask => ({ ask: "scene", look: look(size) });

  it("are found by the text of the question, whatever the order of its keys and the size of the pane", async () => {
    const stored = new StoredTransport(
      new Map([
        [questionText({ ask: "hello" }), message({ id: 0, ok: HELLO })],
        [questionText(scene({ w: 100, h: 100 })), message({ id: 0, ok: "picture" })],
      ]),
    );
    expect((await stored.ask({ ask: "hello" })).ok).toEqual(HELLO);
    expect((await stored.ask(scene({ w: 640, h: 480 }))).ok).toBe("picture");
    expect(questionText({ run: 1, ask: "overview" })).toBe(questionText({ ask: "overview", run: 1 }));
    const other = { ...look({ w: 1, h: 1 }), trees: {} };
    await expect(stored.ask({ ask: "scene", look: other })).rejects.toThrow("not stored");
  });
  it("refuse as the server did, and are always there", async () => {
    const stored = new StoredTransport(
      new Map([[questionText({ ask: "hello" }), message({ id: 0, error: "no run" })]]),
    );
    await expect(stored.ask({ ask: "hello" })).rejects.toThrow("no run");
    const links: Link[] = [];
    stored.watch((link) => links.push(link));
    expect(links).toEqual([{ state: "open" }]);
  });
});

describe("messages", () => {
  it("are unpacked where they were compressed", async () => {
    const plain = message({ id: 1, ok: "a".repeat(500) });
    const stream = new Blob([plain]).stream().pipeThrough(new CompressionStream("gzip"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    const framed = new Uint8Array(4 + packed.length).fill(0xff, 0, 4);
    framed.set(packed, 4);
    expect(new Uint8Array(await unpack(framed.buffer))).toEqual(new Uint8Array(plain));
    expect(await unpack(plain)).toBe(plain);
  });
});

describe("the latest question", () => {
  it("has one under way, and only the newest after it", async () => {
    const asked: number[] = [];
    const done: number[] = [];
    let release = (): void => {};
    const ask = latest(
      (q: number) =>
        new Promise<number>((resolve) => {
          asked.push(q);
          release = () => resolve(q);
        }),
      (a) => done.push(a),
      () => {},
    );
    for (const q of [1, 2, 3]) ask(q);
    expect(asked).toEqual([1]);
    release();
    await settled();
    expect(asked).toEqual([1, 3]);
    release();
    await settled();
    expect(done).toEqual([1, 3]);
  });
});
