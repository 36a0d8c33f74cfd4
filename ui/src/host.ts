// Where a page is mounted: its element, its address, the system's theme, what is remembered between visits. A
// browser window is one host; a notebook's cell, which has no address of its own, is another.

export interface Host {
  root: HTMLElement;
  /** Where keys are heard: the window of a page that has it for itself, else the page's own element. */
  keys: HTMLElement | Window;
  /** The fragment of the address. */
  address: () => string;
  /** The page shows this fragment now, and would write it so. */
  took: (fragment: string) => void;
  /** Writes the fragment; `place` is one that Back leaves again. */
  write: (fragment: string, place: boolean) => void;
  /** Told when somebody else changed the address. */
  onAddress: (listener: () => void) => void;
  /** Others write the address too, at the same time: what is written here is put together with theirs. */
  shared: boolean;
  /** The whole address, to copy. */
  link: () => string;
  dark: () => boolean;
  onDark: (listener: () => void) => void;
  title: (text: string) => void;
  reload: () => void;
  /** Who answers, and what to do when nobody does. */
  peer: { name: string; again: string };
  /** In a cell there is no room for the rail: views are chosen in the heads of panes. */
  cell: boolean;
  remember: (key: string, value: string) => void;
  remembered: (key: string) => string;
}

/** A browser window that the page has for itself. */
export function browserHost(root: HTMLElement): Host {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  return {
    root,
    keys: window,
    address: () => location.hash.replace(/^#/, ""),
    took: () => {},
    write: (fragment, place) => {
      const to = fragment === "" ? location.pathname + location.search : "#" + fragment;
      history[place && fragment !== location.hash.replace(/^#/, "") ? "pushState" : "replaceState"](
        null,
        "",
        to,
      );
    },
    onAddress: (listener) => window.addEventListener("hashchange", listener),
    shared: false,
    link: () => location.href,
    dark: () => dark.matches,
    onDark: (listener) => dark.addEventListener("change", listener),
    title: (text) => (document.title = text),
    reload: () => location.reload(),
    peer: {
      name: "the Crosscut server",
      again: "Start it again with `crosscut view RUN` and open the link it prints.",
    },
    cell: false,
    remember: (key, value) => {
      try {
        localStorage.setItem(key, value);
      } catch {
        // Private windows may refuse: it is then asked once more next time.
      }
    },
    remembered: (key) => {
      try {
        return localStorage.getItem(key) ?? "";
      } catch {
        return "";
      }
    },
  };
}

/** A part of a document whose address belongs to somebody else: the state lives as long as the page does. */
export function embeddedHost(root: HTMLElement, fragment = ""): Host {
  const kept = new Map<string, string>();
  let current = fragment;
  return {
    ...browserHost(root),
    keys: root,
    address: () => current,
    write: (to) => (current = to),
    onAddress: () => {},
    link: () => "#" + current,
    title: () => {},
    reload: () => {},
    remember: (key, value) => kept.set(key, value),
    remembered: (key) => kept.get(key) ?? "",
  };
}
