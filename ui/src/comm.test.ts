import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommTransport, type Model } from "./comm";
import { HELLO, message } from "./testing/samples";
import type { Link } from "./transport";

type Content = { question?: string; here?: boolean; picture?: number; format?: string };
type Heard = (content: unknown, buffers?: DataView[]) => void;

/** A model whose kernel is the test. */
function fakeModel() {
  const sent: Content[] = [];
  const heard = new Set<Heard>();
  const model: Model = {
    get: () => undefined,
    set: () => {},
    save_changes: () => {},
    send: (content) => sent.push(content as Content),
    on: (_, listener) => heard.add(listener as Heard),
    off: (_, listener) => heard.delete(listener as Heard),
  };
  const say: Heard = (content, buffers) => heard.forEach((listener) => listener(content, buffers));
  return { model, sent, say, heard };
}

const view = (json: unknown): DataView => new DataView(message(json));
const ids = (sent: Content[]): number[] => sent.map((each) => JSON.parse(each.question!).id);

describe("a notebook's comm", () => {
  let kernel: ReturnType<typeof fakeModel>;
  let transport: CommTransport;
  const links: Link["state"][] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    links.length = 0;
    kernel = fakeModel();
    transport = new CommTransport(kernel.model);
    transport.watch((link) => links.push(link.state));
  });
  afterEach(() => {
    transport.close();
    vi.useRealTimers();
  });

  it("matches answers by id, also those inside of a larger buffer", async () => {
    const [a, b] = [transport.ask({ ask: "hello" }), transport.ask({ ask: "overview", run: 1 })];
    const [first, second] = ids(kernel.sent);
    kernel.say({}, [view({ id: second, ok: "two" })]);
    const bytes = new Uint8Array(message({ id: first, ok: HELLO }));
    const larger = new Uint8Array(bytes.length + 16);
    larger.set(bytes, 8);
    kernel.say({}, [new DataView(larger.buffer, 8, bytes.length)]);
    expect((await b).ok).toBe("two");
    expect((await a).ok).toEqual(HELLO);
  });

  it("says that the kernel is busy only when it hears nothing", () => {
    void transport.ask({ ask: "hello" });
    vi.advanceTimersByTime(300);
    expect(kernel.sent.at(-1)).toEqual({ here: true });
    // A slow answer of a kernel that hears.
    kernel.say({ here: true });
    vi.advanceTimersByTime(2000);
    expect(links).toEqual(["open"]);
    // A cell is running: nothing comes back.
    void transport.ask({ ask: "overview", run: 0 });
    vi.advanceTimersByTime(2000);
    expect(links).toEqual(["open", "busy"]);
    kernel.say({ here: true });
    expect(links).toEqual(["open", "busy", "open"]);
  });

  it("says nothing where nothing was asked", () => {
    vi.advanceTimersByTime(5000);
    expect(kernel.sent).toEqual([]);
    expect(links).toEqual(["open"]);
  });

  it("has pictures made by the kernel", async () => {
    const query = new URLSearchParams({ format: "svg", theme: "dark", look: "{}" });
    const [drawn, refused] = [transport.picture(query), transport.picture(query)];
    const [first, second] = kernel.sent.map((each) => each.picture!);
    expect(kernel.sent).toEqual([
      { picture: first, format: "svg", theme: "dark", look: "{}" },
      { picture: second, format: "svg", theme: "dark", look: "{}" },
    ]);
    kernel.say({ picture: second, error: "no such view" });
    kernel.say({ picture: first }, [new DataView(new TextEncoder().encode("<svg/>").buffer)]);
    expect(await (await drawn).text()).toBe("<svg/>");
    await expect(refused).rejects.toThrow("no such view");
  });

  it("leaves to other pages of the widget what they asked", async () => {
    const other = new CommTransport(kernel.model);
    const [here, there] = [transport.ask({ ask: "hello" }), other.ask({ ask: "overview", run: 0 })];
    const [first, second] = ids(kernel.sent);
    expect(first).not.toBe(second);
    expect(Math.max(first!, second!) + 1e9).toBeLessThan(2 ** 32);
    // Everybody hears everything.
    kernel.say({}, [view({ id: second, ok: "for the other one" })]);
    kernel.say({}, [view({ id: first, ok: "for this one" })]);
    expect([(await here).ok, (await there).ok]).toEqual(["for this one", "for the other one"]);
    const query = new URLSearchParams({ format: "svg", look: "{}" });
    void transport.picture(query);
    void other.picture(query);
    const [a, b] = kernel.sent.slice(2).map((each) => each.picture);
    expect(a).not.toBe(b);
    other.close();
  });

  it("is deaf when it is closed", () => {
    transport.close();
    expect(kernel.heard.size).toBe(0);
  });
});
