// The questions of the page, typed: what each is asked with and what it answers. Pictures come decoded.
// Answers that do not change are kept, and a question that is under way is not asked twice.

import { decodeScene, type Scene } from "./scene";
import type { Asking, Message, Transport } from "./transport";
import type { ActCall } from "./protocol/ActCall";
import type { Carried } from "./protocol/Carried";
import type { CarryAsk } from "./protocol/CarryAsk";
import type { Hello } from "./protocol/Hello";
import type { LensSpec } from "./protocol/LensSpec";
import type { LightAnswer } from "./protocol/LightAnswer";
import type { Look } from "./protocol/Look";
import type { Progress } from "./protocol/Progress";
import type { SceneAnswer } from "./protocol/SceneAnswer";
import type { SceneHead } from "./protocol/SceneHead";
import type { Scope } from "./protocol/Scope";
import type { SearchAnswer } from "./protocol/SearchAnswer";
import type { Selection } from "./protocol/Selection";
import type { Sheet } from "./protocol/Sheet";
import type { Table } from "./protocol/Table";
import type { TableAsk } from "./protocol/TableAsk";
import type { TreeAnswer } from "./protocol/TreeAnswer";

/** What a look became: a picture or a sheet. */
export interface Shown {
  answer: SceneAnswer;
  scene: Scene | null;
  sheet: Sheet | null;
}

/** How the tree of a selection is seen. */
export interface Seen {
  with: Record<string, string>;
  lens?: LensSpec;
  scope: Scope;
}

export interface SceneHearing {
  signal?: AbortSignal;
  progress?: (progress: Progress) => void;
  draft?: (shown: Shown) => void;
}

function shownOf(message: Message): Shown {
  const answer = message.ok as SceneAnswer;
  const { shown } = answer;
  if (shown.is === "sheet") return { answer, scene: null, sheet: shown.sheet };
  const head = shown.head as unknown as SceneHead;
  return { answer, scene: decodeScene(head, message.buffer, message.columns), sheet: null };
}

/** Answers by question; the oldest go first. */
class Memory<A> {
  private known = new Map<string, A>();
  private asking = new Map<string, Promise<A>>();

  constructor(private most: number) {}

  get = (key: string): A | undefined => this.known.get(key);

  fetch(key: string, ask: () => Promise<A>): Promise<A> {
    const known = this.known.get(key);
    if (known !== undefined) return Promise.resolve(known);
    let promise = this.asking.get(key);
    if (!promise) {
      promise = ask().then((answer) => {
        this.known.set(key, answer);
        if (this.known.size > this.most) this.known.delete(this.known.keys().next().value!);
        return answer;
      });
      promise.finally(() => this.asking.delete(key)).catch(() => {});
      this.asking.set(key, promise);
    }
    return promise;
  }
}

export type Asks = ReturnType<typeof createAsks>;

export function createAsks(transport: Transport) {
  const abouts = new Memory<Sheet>(2000);
  const lights = new Memory<LightAnswer>(200);
  const trees = new Memory<TreeAnswer>(200);
  const overviews = new Memory<Sheet>(16);
  const plain = async <A>(...ask: Parameters<Transport["ask"]>): Promise<A> =>
    (await transport.ask(...ask)).ok as A;
  const aboutKey = (selection: Selection, seen: Seen): string => JSON.stringify([selection, seen]);

  return {
    hello: () => plain<Hello>({ ask: "hello" }),
    scene: async (look: Look, act?: ActCall, how: SceneHearing = {}): Promise<Shown> => {
      const heard = (message: Message): void => {
        if (message.ok) how.draft?.(shownOf(message));
        else if (message.progress) how.progress?.(message.progress);
      };
      const asking: Asking = { heard, signal: how.signal };
      return shownOf(await transport.ask({ ask: "scene", look, ...(act ? { act } : {}) }, asking));
    },
    light: (look: Look) =>
      lights.fetch(JSON.stringify(look), () => plain<LightAnswer>({ ask: "light", look })),
    about: (selection: Selection, seen: Seen) =>
      abouts.fetch(aboutKey(selection, seen), () => plain<Sheet>({ ask: "about", selection, ...seen })),
    knownAbout: (selection: Selection, seen: Seen) => abouts.get(aboutKey(selection, seen)),
    table: (ask: TableAsk) => plain<Table>({ ask: "table", ...ask }),
    search: (run: number, words: string, limit: number) =>
      plain<SearchAnswer>({ ask: "search", run, words, limit }),
    tree: (run: number, tree: string, options: Record<string, string>, lenses: LensSpec[]) =>
      trees.fetch(JSON.stringify([run, tree, options, lenses]), () =>
        plain<TreeAnswer>({ ask: "tree", run, tree, with: options, lenses }),
      ),
    carry: (ask: CarryAsk) => plain<Carried>({ ask: "carry", ...ask }),
    overview: (run: number) => overviews.fetch(String(run), () => plain<Sheet>({ ask: "overview", run })),
  };
}
