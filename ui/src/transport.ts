// The way from the page to whoever answers: a socket, a notebook's comm, answers stored in a file. A question
// goes in; progress and drafts are heard, the last answer comes as a promise. What a message looks like:
// docs/api.md.

import { splitMessage } from "./scene";
import type { Ask } from "./protocol/Ask";
import type { Progress } from "./protocol/Progress";

/** What the connection is doing; `busy` is a kernel that runs a cell, `lost` carries how often it was tried again. */
export type Link =
  | { state: "connecting" }
  | { state: "open" }
  | { state: "busy" }
  | { state: "lost"; tries: number; retryAt: number };

/** One message back: the answer as JSON, and the bytes behind it for those who know what they are. */
export interface Message {
  ok: unknown;
  progress: Progress | null;
  buffer: ArrayBuffer;
  /** Where the columns of a picture begin. */
  columns: number;
}

export interface Asking {
  /** Progress and drafts, before the last answer. */
  heard?: (message: Message) => void;
  /** Gives the question up. */
  signal?: AbortSignal;
}

export interface Transport {
  ask: (ask: Ask, how?: Asking) => Promise<Message>;
  /** Told at once, and whenever the connection changes. */
  watch: (listener: (link: Link) => void) => void;
  /** Tries again at once. */
  connect: () => void;
  close: () => void;
  /** A picture as a file; null where there is no server to make it. */
  picture: ((query: URLSearchParams) => Promise<Blob>) | null;
}

/** What is thrown for a question that was given up. */
export class GivenUp extends Error {
  constructor() {
    super("given up");
  }
}

interface Head {
  id: number;
  ok?: unknown;
  error?: string;
  progress?: Progress;
}

/** A message as it came: its id, and what it says or why there is no answer. */
export function read(buffer: ArrayBuffer): { id: number; message: Message; error: string | null } {
  const { json, columns } = splitMessage(buffer);
  const { id, ok, error, progress } = json as Head;
  return { id, message: { ok, progress: progress ?? null, buffer, columns }, error: error ?? null };
}

/** An answer as it was before it was compressed; small ones are sent as they are. */
export async function unpack(buffer: ArrayBuffer): Promise<ArrayBuffer> {
  if (buffer.byteLength < 4 || new DataView(buffer).getUint32(0, true) !== 0xffffffff) return buffer;
  const stream = new Blob([new Uint8Array(buffer, 4)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/**
 * Keeps one question under way and only the newest of those asked meanwhile: it may be called every frame.
 * Answers that were overtaken are still delivered, since an older picture is better than none.
 */
export function latest<Q, A>(
  ask: (q: Q) => Promise<A>,
  done: (a: A, q: Q) => unknown,
  failed: (e: Error, q: Q) => unknown,
): (q: Q) => void {
  let busy = false;
  let next: { q: Q } | null = null;
  const run = async (q: Q): Promise<void> => {
    busy = true;
    try {
      done(await ask(q), q);
    } catch (error) {
      failed(error as Error, q);
    }
    busy = false;
    if (!next) return;
    const { q: again } = next;
    next = null;
    void run(again);
  };
  return (q) => {
    if (busy) next = { q };
    else void run(q);
  };
}
