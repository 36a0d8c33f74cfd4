// The page's end of the socket: one JSON request per call, answers matched by id, in any order. Requests go in,
// promises of typed answers come out; connection changes are told to one listener. Knows nothing of views.

import { decodePicture, splitMessage, type Picture } from "./scene";
import type { GrainAnswer } from "./protocol/GrainAnswer";
import type { GrainTableAnswer } from "./protocol/GrainTableAnswer";
import type { Hello } from "./protocol/Hello";
import type { LensRequest } from "./protocol/LensRequest";
import type { NodeAnswer } from "./protocol/NodeAnswer";
import type { Op } from "./protocol/Op";
import type { Overview } from "./protocol/Overview";
import type { ProblemsAnswer } from "./protocol/ProblemsAnswer";
import type { SceneAnswer } from "./protocol/SceneAnswer";
import type { SceneRequest } from "./protocol/SceneRequest";
import type { SearchAnswer } from "./protocol/SearchAnswer";
import type { TableAnswer } from "./protocol/TableAnswer";
import type { Threshold } from "./protocol/Threshold";
import type { WhatIfAnswer } from "./protocol/WhatIfAnswer";

/** What the connection is doing; `lost` carries how often it was tried again. */
export type Link = { state: "connecting" } | { state: "open" } | { state: "lost"; tries: number; retryAt: number };

interface Waiting {
  op: Op;
  sent: number;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** What is being waited for, for "loading with a number". */
export interface Pending {
  op: string;
  since: number;
}

/** An answer as it was before it was compressed; small ones are sent as they are. */
export async function unpack(buffer: ArrayBuffer): Promise<ArrayBuffer> {
  if (buffer.byteLength < 4 || new DataView(buffer).getUint32(0, true) !== 0xffffffff) return buffer;
  const stream = new Blob([new Uint8Array(buffer, 4)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export class Socket {
  private ws: WebSocket | null = null;
  private nextId = 1;
  private waiting = new Map<number, Waiting>();
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private url: string, private onLink: (link: Link) => void) {}

  /** Connects, or tries again at once. */
  connect(): void {
    clearTimeout(this.timer);
    if (this.ws && this.ws.readyState <= WebSocket.OPEN) return;
    this.onLink({ state: "connecting" });
    const ws = new WebSocket(this.url);
    ws.binaryType = "arraybuffer";
    ws.onopen = () => {
      this.tries = 0;
      this.onLink({ state: "open" });
      for (const [id, w] of this.waiting) ws.send(JSON.stringify({ id, ...w.op }));
    };
    ws.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) {
        unpack(event.data).then(
          (plain) => this.receive(plain),
          (error: unknown) => console.error("could not unpack an answer:", error),
        );
      }
    };
    ws.onclose = () => this.lost();
    this.ws = ws;
  }

  hello = () => this.ask<Hello>({ op: "hello" });
  overview = (run: number) => this.ask<Overview>({ op: "overview", run });
  node = (run: number, node: number) => this.ask<NodeAnswer>({ op: "node", run, node });
  search = (run: number, text: string, limit: number) => this.ask<SearchAnswer>({ op: "search", run, text, limit });
  table = (op: Omit<Extract<Op, { op: "table" }>, "op">) => this.ask<TableAnswer>({ op: "table", ...op });
  grain = (run: number, node: number, lens: LensRequest | null, ofTask: boolean) => this.ask<GrainAnswer>({ op: "grain", run, node, lens, of_task: ofTask });
  problems = (run: number, thresholds: Threshold[]) => this.ask<ProblemsAnswer>({ op: "problems", run, thresholds });
  grainTable = (op: Omit<Extract<Op, { op: "graintable" }>, "op">) => this.ask<GrainTableAnswer>({ op: "graintable", ...op });
  whatif = (run: number, node: number | null, faster: number) => this.ask<WhatIfAnswer>({ op: "whatif", run, node, faster });
  scene = (request: SceneRequest) => this.ask<Picture>({ op: "scene", ...request });

  /** The oldest request without an answer. */
  pending(): Pending | null {
    for (const w of this.waiting.values()) {
      return { op: w.op.op === "scene" ? w.op.view : w.op.op, since: w.sent };
    }
    return null;
  }

  private ask<T>(op: Op): Promise<T> {
    const id = this.nextId++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { op, sent: performance.now(), resolve: resolve as (a: unknown) => void, reject });
      if (this.ws?.readyState === WebSocket.OPEN) this.ws.send(JSON.stringify({ id, ...op }));
    });
  }

  private receive(buffer: ArrayBuffer): void {
    let id = -1;
    try {
      const { json, columns } = splitMessage(buffer);
      const message = json as { id: number; ok?: unknown; error?: { error: string } };
      id = message.id;
      const waiting = this.waiting.get(id);
      if (!waiting) return;
      this.waiting.delete(id);
      if (message.error) waiting.reject(new Error(message.error.error));
      else if (waiting.op.op === "scene") waiting.resolve(decodePicture(message.ok as SceneAnswer, buffer, columns));
      else waiting.resolve(message.ok);
    } catch (error) {
      this.waiting.get(id)?.reject(error as Error);
      this.waiting.delete(id);
      console.error("could not read an answer:", error);
    }
  }

  /** Unanswered requests are kept and sent again when the connection is back: the server keeps nothing per client. */
  private lost(): void {
    this.ws = null;
    this.tries += 1;
    const wait = Math.min(15_000, 500 * 2 ** Math.min(5, this.tries - 1));
    this.onLink({ state: "lost", tries: this.tries, retryAt: performance.now() + wait });
    this.timer = setTimeout(() => this.connect(), wait);
  }
}

/**
 * Keeps one request in flight and only the newest of those asked meanwhile: `ask` may be called every frame.
 * Answers that were overtaken are still delivered, since an older picture is better than none.
 */
export function latest<Q, A>(ask: (q: Q) => Promise<A>, done: (a: A, q: Q) => void, failed: (e: Error, q: Q) => void) {
  let busy = false;
  let next: { q: Q } | null = null;
  const run = async (q: Q): Promise<void> => {
    busy = true;
    try {
      const answer = await ask(q);
      done(answer, q);
    } catch (error) {
      failed(error as Error, q);
    }
    busy = false;
    if (next) {
      const { q: again } = next;
      next = null;
      void run(again);
    }
  };
  return (q: Q): void => {
    if (busy) next = { q };
    else void run(q);
  };
}
