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

/** What the kernel says of a message beside its bytes: nothing for an answer, which carries its own number. */
interface Content {
  /** It has read a message: whatever is slow, the kernel is not. */
  here?: boolean;
  picture?: number;
  error?: string;
}

interface Drawing {
  resolve: (file: Blob) => void;
  reject: (error: Error) => void;
  type: string;
}

/**
 * Where a page begins to count. All pages of a widget, in whatever window, hear all that the kernel says, and know what is
 * meant for them by its number; there is room behind it for as many questions again in 32 bits.
 */
const somewhere = (): number => 1 + Math.floor(Math.random() * 0x7fff_ffff);

/** So long without any answer, and the kernel is asked whether it hears anything; so long again, and it is busy. */
const PATIENCE_MS = 250;

export class CommTransport implements Transport {
  private questions = new Questions((text) => this.send({ question: text }), somewhere());
  private drawings = new Map<number, Drawing>();
  private nextDrawing = somewhere();
  private listener: (link: Link) => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy = false;

  constructor(private model: Model) {
    model.on("msg:custom", this.heard);
  }

  watch = (listener: (link: Link) => void): void => {
    this.listener = listener;
    listener({ state: "open" });
  };

  ask = (ask: Ask, how?: Asking): Promise<Message> => this.questions.ask(ask, how);

  picture = (query: URLSearchParams): Promise<Blob> => {
    const number = this.nextDrawing++;
    const { format = "png", ...rest } = Object.fromEntries(query);
    const type = format === "svg" ? "image/svg+xml" : "image/png";
    return new Promise((resolve, reject) => {
      this.drawings.set(number, { resolve, reject, type });
      this.send({ picture: number, format, ...rest });
    });
  };

  connect = (): void => this.questions.again();

  close = (): void => {
    clearTimeout(this.timer);
    this.model.off("msg:custom", this.heard);
  };

  private send(content: unknown): void {
    this.model.send(content);
    this.watchKernel();
  }

  private heard = (content: Content | null, buffers: DataView[] = []): void => {
    this.setBusy(false);
    if (content?.here) return clearTimeout(this.timer);
    this.watchKernel();
    if (content?.picture !== undefined) return this.drawn(content.picture, content.error, buffers);
    for (const view of buffers) {
      unpack(whole(view)).then(this.questions.receive, (error: unknown) =>
        console.error("could not unpack an answer:", error),
      );
    }
  };

  private drawn(number: number, error: string | undefined, buffers: DataView[]): void {
    const drawing = this.drawings.get(number);
    this.drawings.delete(number);
    if (!drawing) return;
    const [bytes] = buffers;
    if (bytes) drawing.resolve(new Blob([whole(bytes)], { type: drawing.type }));
    else drawing.reject(new Error(error ?? "there is no picture"));
  }

  /** Says that the kernel is busy when nothing comes for a while, though something was asked. */
  private watchKernel(): void {
    clearTimeout(this.timer);
    if (this.busy) return;
    const waits = (): boolean => this.questions.count + this.drawings.size > 0;
    this.timer = setTimeout(() => {
      if (!waits()) return;
      this.model.send({ here: true });
      this.timer = setTimeout(() => this.setBusy(waits()), PATIENCE_MS);
    }, PATIENCE_MS);
  }

  private setBusy(busy: boolean): void {
    if (busy === this.busy) return;
    this.busy = busy;
    this.listener({ state: busy ? "busy" : "open" });
  }
}

/** The bytes of a view as a buffer of their own. */
function whole(view: DataView): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = view;
  const all = byteOffset === 0 && byteLength === buffer.byteLength;
  return (all ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer;
}
