// The transport of a notebook: questions and answers are messages of a widget, the answer's bytes a buffer. The kernel
// that answers may be busy with a cell.

import { Questions } from "./questions";
import { unpack, type Asking, type Link, type Message, type Transport } from "./transport";
import type { Ask } from "./protocol/Ask";

/** What a widget's model has for its front end. */
export interface Model {
  get: (name: string) => unknown;
  set: (name: string, value: unknown) => void;
  save_changes: () => void;
  send: (content: unknown) => void;
  on: (event: string, listener: (...args: never[]) => void) => void;
  off: (event: string, listener: (...args: never[]) => void) => void;
}

/** So long without any answer, and the kernel is said to be busy. */
const BUSY_MS = 400;

export class CommTransport implements Transport {
  readonly picture = null;
  private questions = new Questions((text) => this.send(text));
  private listener: (link: Link) => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private model: Model) {
    model.on("msg:custom", this.heard);
  }

  watch = (listener: (link: Link) => void): void => {
    this.listener = listener;
    listener({ state: "open" });
  };

  ask = (ask: Ask, how?: Asking): Promise<Message> => this.questions.ask(ask, how);

  connect = (): void => this.questions.again();

  close = (): void => {
    clearTimeout(this.timer);
    this.model.off("msg:custom", this.heard);
  };

  private send(text: string): void {
    this.model.send({ question: text });
    this.watchKernel();
  }

  private heard = (_content: unknown, buffers: DataView[] = []): void => {
    this.listener({ state: "open" });
    this.watchKernel();
    for (const view of buffers) {
      unpack(whole(view)).then(this.questions.receive, (error: unknown) =>
        console.error("could not unpack an answer:", error),
      );
    }
  };

  /** Says that the kernel is busy when nothing comes for a while. */
  private watchKernel(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.questions.count > 0) this.listener({ state: "busy" });
    }, BUSY_MS);
  }
}

/** The bytes of a view as a buffer of their own. */
function whole(view: DataView): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = view;
  const all = byteOffset === 0 && byteLength === buffer.byteLength;
  return (all ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer;
}
