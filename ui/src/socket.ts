// The transport over a WebSocket. Questions that have no answer yet are sent again when the connection is back.

import { Questions } from "./questions";
import { unpack, type Asking, type Link, type Message, type Transport } from "./transport";
import type { Ask } from "./protocol/Ask";

const LONGEST_PAUSE_MS = 15_000;
const FIRST_PAUSE_MS = 500;

/** Milliseconds until the connection is tried again after so many failures. */
export const pause = (tries: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(5, tries - 1));

export class SocketTransport implements Transport {
  private ws: WebSocket | null = null;
  private questions = new Questions((text) => {
    if (this.ws?.readyState === WebSocket.OPEN) this.ws.send(text);
  });
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

  ask = (ask: Ask, how?: Asking): Promise<Message> => this.questions.ask(ask, how);

  connect = (): void => {
    clearTimeout(this.timer);
    if (this.closed || (this.ws && this.ws.readyState <= WebSocket.OPEN)) return;
    this.listener({ state: "connecting" });
    // A page can set no header of its own here: the token is offered as a protocol, beside the one that is spoken.
    const ws = new WebSocket(this.url, ["crosscut", `token.${this.token}`]);
    ws.binaryType = "arraybuffer";
    ws.onopen = () => {
      this.tries = 0;
      this.questions.again();
      this.listener({ state: "open" });
    };
    ws.onmessage = (event) => {
      if (!(event.data instanceof ArrayBuffer)) return;
      unpack(event.data).then(this.questions.receive, (error: unknown) =>
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

  private lost(): void {
    this.ws = null;
    if (this.closed) return;
    this.tries += 1;
    const wait = pause(this.tries);
    this.listener({ state: "lost", tries: this.tries, retryAt: performance.now() + wait });
    this.timer = setTimeout(this.connect, wait);
  }
}
