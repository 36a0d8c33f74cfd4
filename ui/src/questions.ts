// Questions under way: each is sent as one JSON text and matched with its answers by id, in any order. How a text
// travels is the transport's business.

import { GivenUp, read, type Asking, type Message } from "./transport";
import type { Ask } from "./protocol/Ask";

interface Waiting {
  ask: Ask;
  how: Asking;
  resolve: (message: Message) => void;
  reject: (error: Error) => void;
}

export class Questions {
  private waiting = new Map<number, Waiting>();

  /** Numbers begin with the first one: who shares a way back with others begins where they do not. */
  constructor(
    private send: (text: string) => void,
    private nextId = 1,
  ) {}

  /** How many have no answer yet. */
  get count(): number {
    return this.waiting.size;
  }

  ask = (ask: Ask, how: Asking = {}): Promise<Message> => {
    const id = this.nextId++;
    return new Promise<Message>((resolve, reject) => {
      if (how.signal?.aborted) return reject(new GivenUp());
      this.waiting.set(id, { ask, how, resolve, reject });
      how.signal?.addEventListener("abort", () => this.giveUp(id), { once: true });
      this.post(id, ask);
    });
  };

  /** Sends those without an answer once more: who answers keeps nothing of who asked. */
  again(): void {
    for (const [id, waiting] of this.waiting) this.post(id, waiting.ask);
  }

  receive = (buffer: ArrayBuffer): void => {
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

  private post(id: number, ask: Ask): void {
    this.send(JSON.stringify({ id, ...ask }));
  }

  private giveUp(question: number): void {
    const waiting = this.waiting.get(question);
    if (!waiting) return;
    this.waiting.delete(question);
    this.post(this.nextId++, { ask: "cancel", question });
    waiting.reject(new GivenUp());
  }
}
