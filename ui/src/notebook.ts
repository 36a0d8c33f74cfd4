// Where the page begins in a notebook, and in a file that was saved from one: a page of its own inside of an element, out
// of reach of the styles around it. In a notebook its address is the widget's `address`, both ways; in a file its answers
// were stored with it.

import { CommTransport, type Model } from "./comm";
import { embeddedHost, type Host } from "./host";
import { SharedAddress } from "./merge";
import { createPage, type Mounted } from "./page";
import { questionText, StoredTransport } from "./stored";
import css from "./theme.css?inline";
import type { Transport } from "./transport";

/** Hints are for the first visit of a page that stays; a cell is run again and again. */
const ALL_HINTS = "sheet,graph,plots,table";

/** A cell of a notebook: its theme is the notebook's, its address the model's. What is in `leaving` is done when it goes. */
function cellHost(root: HTMLElement, model: Model, leaving: (() => void)[]): Host {
  const shared = new SharedAddress(model);
  const address = (): string => shared.text();
  return {
    ...embeddedHost(root),
    address,
    took: (fragment) => shared.took(fragment),
    write: (fragment) => shared.write(fragment),
    onAddress: (listener) => leaving.push(shared.watch(listener)),
    link: address,
    shared: true,
    dark: () => darkAround(root),
    onDark: (listener) => {
      // The notebook draws itself anew first: at once there would be no box to draw into.
      const seen = new MutationObserver(() => requestAnimationFrame(listener));
      const attributeFilter = ["data-jp-theme-light", "class", "data-vscode-theme-kind"];
      seen.observe(document.body, { attributes: true, attributeFilter });
      leaving.push(() => seen.disconnect());
    },
    peer: { name: "the kernel", again: "Run the cell again." },
    cell: true,
    remembered: () => ALL_HINTS,
  };
}

/** JupyterLab and VS Code say it; elsewhere it is read off the colour behind the cell. */
function darkAround(root: HTMLElement): boolean {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  if (vscodeThemeKind) return /dark|high-contrast$/.test(vscodeThemeKind);
  for (let el = (root.getRootNode() as ShadowRoot).host?.parentElement; el; el = el.parentElement) {
    const parts =
      getComputedStyle(el)
        .backgroundColor.match(/[\d.]+/g)
        ?.map(Number) ?? [];
    const [r = 255, g = 255, b = 255, alpha = 1] = parts;
    if (alpha > 0) return r + g + b < 3 * 128;
  }
  return false;
}

function inside(el: HTMLElement, height: string): { box: HTMLElement; root: HTMLElement } {
  const box = document.createElement("div");
  box.className = "crosscut-cell";
  box.style.height = height;
  const shadow = box.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = css;
  const root = document.createElement("div");
  root.style.height = "100%";
  root.tabIndex = -1;
  shadow.append(style, root);
  el.append(box);
  return { box, root };
}

/** What tests ask, on the element that has the page. */
function opened(box: HTMLElement, root: HTMLElement, host: Host, transport: Transport): Mounted {
  const page = createPage(root, host, transport);
  Object.assign(box, { crosscut: page.probe });
  return page;
}

/** Shows a widget's page in an element; what is returned takes it away again. */
export function mount(el: HTMLElement, model: Model): () => void {
  const height = (): string => `${Number(model.get("height"))}px`;
  const { box, root } = inside(el, height());
  // The notebook's own keys would make and delete cells.
  box.dataset.lmSuppressShortcuts = "true";
  box.addEventListener("keydown", (e) => e.stopPropagation());
  // Who scrolls through the notebook does not want to zoom what happens to be under the pointer.
  const wheel = (e: WheelEvent): void => {
    if (!e.ctrlKey && !box.matches(":focus-within")) e.stopPropagation();
  };
  box.addEventListener("wheel", wheel, { capture: true, passive: true });
  const resize = (): void => void (box.style.height = height());
  model.on("change:height", resize);
  // What is saved from here is drawn for this size.
  const measured = new ResizeObserver(() => {
    if (box.clientWidth === 0 || box.clientWidth === model.get("_width")) return;
    model.set("_width", box.clientWidth);
    model.save_changes();
  });
  measured.observe(box);
  const leaving = [() => model.off("change:height", resize), () => measured.disconnect()];
  const page = opened(box, root, cellHost(root, model, leaving), new CommTransport(model));
  return () => {
    leaving.forEach((leave) => leave());
    page.dispose();
    box.remove();
  };
}

/** What a file holds: the address, the size that its pictures were drawn for, answers by their questions, in base64. */
interface File {
  address: string;
  width: number;
  height: number;
  answers: Record<string, string>;
}

/** Shows a stored page. */
export function show(el: HTMLElement, { address, width, height, answers }: File): void {
  const { box, root } = inside(el, `${height}px`);
  box.style.width = `${width}px`;
  box.style.margin = "0 auto";
  const bytes = (text: string): ArrayBuffer => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const stored = new Map(
    Object.entries(answers).map(([question, text]) => [questionText(JSON.parse(question)), bytes(text)]),
  );
  const host: Host = {
    ...embeddedHost(root, address),
    peer: { name: "what is stored in this file", again: "Save the file again." },
    cell: true,
    remembered: () => ALL_HINTS,
  };
  opened(box, root, host, new StoredTransport(stored));
}
