// The transport without a server: answers stored beside the page, in a file or a notebook, by the text of
// their question. What was not stored is refused in words.

import { GivenUp, read, unpack, type Asking, type Link, type Message, type Transport } from "./transport";
import type { Ask } from "./protocol/Ask";

/**
 * A question as text, the same for the same question: keys in order of the alphabet, what is undefined left
 * out. The size of a pane is left out too, since no stored picture fits every window; a picture is drawn at
 * the size it was made for.
 */
export function questionText(ask: Ask): string {
  return JSON.stringify(ordered(ask));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(
    ([key, of]) => of !== undefined && !(key === "size" && isSize(of)),
  );
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, of]) => [key, ordered(of)]));
}

const isSize = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "w" in value && "h" in value;

export class StoredTransport implements Transport {
  readonly picture = null;

  constructor(private answers: ReadonlyMap<string, ArrayBuffer>) {}

  watch = (listener: (link: Link) => void): void => listener({ state: "open" });
  connect = (): void => {};
  close = (): void => {};

  ask = async (ask: Ask, how: Asking = {}): Promise<Message> => {
    if (how.signal?.aborted) throw new GivenUp();
    const stored = this.answers.get(questionText(ask));
    if (!stored)
      throw new Error("This is not stored in the file: open the run with `crosscut view` to see it.");
    const { message, error } = read(await unpack(stored));
    if (error !== null) throw new Error(error);
    return message;
  };
}
