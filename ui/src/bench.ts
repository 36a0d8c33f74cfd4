// Everything that one mounted page is made of, put together: store, panes, trees, findings, search, hands,
// commands. Parts of the frame find it in their context; there is nothing beside it.

import { createContext, useContext } from "solid-js";
import { createCommands, type Commands } from "./commands";
import type { Parts } from "./commands/command";
import { createControls } from "./model/controls";
import { createFindings } from "./model/findings";
import { createHands } from "./model/hands";
import { createSearch } from "./model/search";
import { createTrees } from "./model/trees";
import { createStore } from "./store";
import type { Host } from "./host";
import type { Transport } from "./transport";

export interface Bench extends Parts {
  commands: Commands;
}

export function createBench(host: Host, transport: Transport): Bench {
  const store = createStore(host, transport);
  const controls = createControls(store);
  const hands = createHands(store, controls);
  const parts = {
    store,
    controls,
    hands,
    trees: createTrees(store),
    findings: createFindings(store, controls),
    search: createSearch(store, hands.showHit),
  };
  return { ...parts, commands: createCommands(parts) };
}

const BenchContext = createContext<Bench>();
export const BenchProvider = BenchContext.Provider;

export function useBench(): Bench {
  const bench = useContext(BenchContext);
  if (!bench) throw new Error("a part of the page outside of a page");
  return bench;
}
