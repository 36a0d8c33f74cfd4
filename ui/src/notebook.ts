// Where the page begins in a notebook: a widget's view with a page of its own inside, out of reach of the notebook's
// styles. The address of the page is the widget's `address`, both ways.

import { CommTransport, type Model } from "./comm";
import { embeddedHost, type Host } from "./host";
import { createPage } from "./page";
import css from "./theme.css?inline";

/** A cell of a notebook: its theme is the notebook's, its address the model's. */
function notebookHost(root: HTMLElement, model: Model): Host {
  const dark = (): boolean => document.body.dataset.jpThemeLight === "false";
  return {
    ...embeddedHost(root),
    address: () => String(model.get("address") ?? ""),
    write: (fragment) => {
      model.set("address", fragment);
      model.save_changes();
    },
    onAddress: (listener) => model.on("change:address", listener),
    dark,
    onDark: (listener) => {
      const seen = new MutationObserver(() => requestAnimationFrame(listener));
      seen.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
    },
  };
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const box = document.createElement("div");
  box.style.height = `${Number(model.get("height"))}px`;
  box.tabIndex = 0;
  // The notebook's own keys would make and delete cells.
  box.dataset.lmSuppressShortcuts = "true";
  const shadow = box.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = css;
  const root = document.createElement("div");
  root.style.height = "100%";
  root.tabIndex = -1;
  shadow.append(style, root);
  el.append(box);
  const page = createPage(root, notebookHost(root, model), new CommTransport(model));
  Object.assign(box, { crosscut: page.probe });
  return () => {
    page.dispose();
    box.remove();
  };
}

export default { render };
