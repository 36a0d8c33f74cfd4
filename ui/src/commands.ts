// Every command of the page: what views declare, and the page's own. The palette, the help and the keyboard
// read this one list, so that everything the mouse does has a name and a key.

import { createDeclared } from "./commands/declared";
import { createOwn } from "./commands/own";
import type { Command, Parts } from "./commands/command";

export type Commands = ReturnType<typeof createCommands>;

export function createCommands(parts: Parts) {
  const own = createOwn(parts);
  const declared = createDeclared(parts);
  /** What a view declares goes before the page's own where both have the same key. */
  const all = (): Command[] => [...declared(), ...own];
  return {
    all,
    for: (key: string): Command | undefined =>
      all().find((c) => c.keys.includes(key) && (!c.when || c.when())),
    /** The first key of a command of the page, for tooltips. */
    key: (id: string): string => own.find((c) => c.id === id)?.keys[0] ?? "",
    run: (id: string): void => own.find((c) => c.id === id)?.run(),
  };
}
