// The transport over a WebSocket: one JSON text per question, answers matched by id in any order. Questions
// that have no answer yet are sent again when the connection is back: the server keeps nothing per client.

import { GivenUp, read, unpack, type Asking, type Link, type Message, type Transport } from "./transport";
import type { Ask } from "./protocol/Ask";

interface Waiting {
  ask: Ask;
  how: Asking;
  resolve: (message: Message) => void;
  reject: (error: Error) => void;
}

const LONGEST_PAUSE_MS = 15_000;
const FIRST_PAUSE_MS = 500;

/** Milliseconds until the connection is tried again after so many failures. */
export const pause = (tries: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(5, tries - 1));

export class SocketTransport implements Transport {
  private ws: WebSocket | null = null;
  private nextId = 1;
  private waiting = new Map<number, Waiting>();
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private listener: (link: Link) => void = () => {};
  private closed = false;

  constructor(
    private url: string,
    private token: string,
    private pictures: string,
  ) {}

  picture = async (query: URLSearchParams): Promise<Blob> => {
    const headers = { Authorization: `Bearer ${this.token}` };
    const answer = await fetch(`${this.pictures}?${query}`, { headers });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.blob();
  };

  watch = (listener: (link: Link) => void): void => {
    this.listener = listener;
  };

  connect = (): void => {
    clearTimeout(this.timer);
    if (this.closed || (this.ws && this.ws.readyState <= WebSocket.OPEN)) return;
    this.listener({ state: "connecting" });
    // A page can set no header of its own here: the token is offered as a protocol, beside the one that is spoken.
    const ws = new WebSocket(this.url, ["crosscut", `token.${this.token}`]);
    ws.binaryType = "arraybuffer";
    ws.onopen = () => {
      this.tries = 0;
      for (const [id, w] of this.waiting) this.send(id, w.ask);
      this.listener({ state: "open" });
    };
    ws.onmessage = (event) => {
      if (!(event.data instanceof ArrayBuffer)) return;
      unpack(event.data).then(this.receive, (error: unknown) =>
        console.error("could not unpack an answer:", error),
      );
    };
    ws.onclose = () => this.lost();
    this.ws = ws;
  };

  close = (): void => {
    this.closed = true;
    clearTimeout(this.timer);
    this.ws?.close();
  };

  ask = (ask: Ask, how: Asking = {}): Promise<Message> => {
    const id = this.nextId++;
    return new Promise<Message>((resolve, reject) => {
      if (how.signal?.aborted) return reject(new GivenUp());
      this.waiting.set(id, { ask, how, resolve, reject });
      how.signal?.addEventListener("abort", () => this.giveUp(id), { once: true });
      this.send(id, ask);
    });
  };

  private send(id: number, ask: Ask): void {
    if (this.ws?.readyState === WebSocket.OPEN) this.ws.send(JSON.stringify({ id, ...ask }));
  }

  private giveUp(question: number): void {
    const waiting = this.waiting.get(question);
    if (!waiting) return;
    this.waiting.delete(question);
    this.send(this.nextId++, { ask: "cancel", question });
    waiting.reject(new GivenUp());
  }

  private receive = (buffer: ArrayBuffer): void => {
    let id = -1;
    try {
      const { id: of, message, error } = read(buffer);
      id = of;
      const waiting = this.waiting.get(id);
      if (!waiting) return;
      if (message.progress) return waiting.how.heard?.(message);
      this.waiting.delete(id);
      if (error !== null) waiting.reject(new Error(error));
      else waiting.resolve(message);
    } catch (error) {
      this.waiting.get(id)?.reject(error as Error);
      this.waiting.delete(id);
      console.error("could not read an answer:", error);
    }
  };

  private lost(): void {
    this.ws = null;
    if (this.closed) return;
    this.tries += 1;
    const wait = pause(this.tries);
    this.listener({ state: "lost", tries: this.tries, retryAt: performance.now() + wait });
    this.timer = setTimeout(this.connect, wait);
  }
}
