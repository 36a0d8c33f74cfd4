// What a command is, and what commands work on: the page without its commands.

import type { Controls } from "../model/controls";
import type { Findings } from "../model/findings";
import type { Hands } from "../model/hands";
import type { Search } from "../model/search";
import type { Store } from "../store";
import type { Trees } from "../model/trees";

export const GROUPS = ["Views", "Open", "Move", "Find", "Look", "Page"] as const;
export type Group = (typeof GROUPS)[number];

export interface Command {
  id: string;
  title: string;
  group: Group;
  keys: string[];
  run: () => void;
  when?: () => boolean;
}

export interface Parts {
  store: Store;
  controls: Controls;
  trees: Trees;
  findings: Findings;
  search: Search;
  hands: Hands;
}
