// An address that two write: a person in the page, a script in the kernel. The page tells the kernel only what was changed,
// part by part, and the kernel's address is the one that counts; what the kernel has not heard yet stays on the screen.
// Of two who change the same part, the one whom the kernel hears later has it.

import type { Model } from "./comm";
import { fields } from "./url";

/** Parts of an address that are other than before; null: gone. */
export type Change = Record<string, string | null>;

const isTree = (key: string): boolean => /^\d+\//.test(key);
const isNote = (key: string): boolean => /^n\d+$/.test(key);
/** A note is known by what it is about: its number in the address depends on the others. */
const NOTE = "n;";

/** What can be changed apart: fields, and of trees the cut, the lens and each option. */
export function partsOf(address: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [key, value] of fields(address)) {
    const [first = "", ...rest] = value.split(";");
    if (key === "v") continue;
    else if (isNote(key)) parts.set(NOTE + first, rest.join(";"));
    else if (isTree(key)) {
      if (first !== "") parts.set(key, first);
      for (const part of rest) {
        const [name = "", of = ""] = part.split("=");
        parts.set(`${key};${name}`, of);
      }
    } else parts.set(key, value);
  }
  return parts;
}

/** The address of parts. */
export function addressOf(parts: ReadonlyMap<string, string>): string {
  const whole = new Map<string, string>();
  const trees = new Map<string, string[]>();
  let notes = 0;
  for (const [key, value] of parts) {
    const [field = "", name] = key.split(";");
    if (key.startsWith(NOTE)) whole.set(`n${notes++}`, `${key.slice(NOTE.length)};${value}`);
    else if (isTree(field)) {
      const tree = trees.get(field) ?? [""];
      if (name === undefined) tree[0] = value;
      else tree.push(`${name}=${value}`);
      trees.set(field, tree);
    } else whole.set(key, value);
  }
  for (const [key, tree] of trees) whole.set(key, tree.join(";"));
  const out = [...whole].map(([key, value]) => `${key}=${value}`);
  return out.length === 0 ? "" : ["v=1", ...out].join("&");
}

/** What leads from an address to another. */
export function changeOf(from: string, to: string): Change {
  const [before, after] = [partsOf(from), partsOf(to)];
  const change: Change = {};
  for (const key of before.keys()) if (!after.has(key)) change[key] = null;
  for (const [key, value] of after) if (before.get(key) !== value) change[key] = value;
  return change;
}

/** An address after changes, one after the other. */
export function changed(address: string, changes: readonly Change[]): string {
  const parts = partsOf(address);
  for (const change of changes) {
    for (const [key, value] of Object.entries(change)) {
      if (value === null) parts.delete(key);
      else parts.set(key, value);
    }
  }
  return addressOf(parts);
}

/** The address of a widget, as one of its pages sees and changes it. */
export class SharedAddress {
  /** What the kernel was told and has not heard yet. */
  private told: { number: number; change: Change }[] = [];
  private number = 0;
  /** As the page last took or wrote it. */
  private own = "";
  /** Several pages may show one widget. */
  private readonly page = Math.random().toString(36).slice(2);

  constructor(private model: Model) {}

  /** What the kernel has, with what it has not heard yet. */
  text(): string {
    const [page, number] = String(this.model.get("_heard") ?? "").split(" ");
    if (page === this.page) this.told = this.told.filter((each) => each.number > Number(number));
    return changed(
      String(this.model.get("address") ?? ""),
      this.told.map((each) => each.change),
    );
  }

  /** The page shows what `text` said; it may write that otherwise. */
  took(own: string): void {
    this.own = own;
  }

  /** Tells the kernel what the page changed since it took or wrote the last one. */
  write(own: string): void {
    const change = changeOf(this.own, own);
    this.own = own;
    if (Object.keys(change).length === 0) return;
    const number = ++this.number;
    this.told.push({ number, change });
    this.model.send({ changed: change, by: this.page, number });
  }

  /** Told when the kernel changed it, or heard something. */
  watch(listener: () => void): () => void {
    const events = ["change:address", "change:_heard"];
    events.forEach((event) => this.model.on(event, listener));
    return () => events.forEach((event) => this.model.off(event, listener));
  }
}
