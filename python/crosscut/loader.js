// What a notebook loads for each widget: it fetches the page, once for all widgets of a document, and puts it where the
// widget's output is. A widget's output is an empty element with its key, and behind it a picture that is hidden while
// the page is live: a saved notebook shows the picture.

const pages = (globalThis.crosscutPages ??= new Map());
/** So long until another widget asks for the page too: the one that asked may be gone. */
const PATIENCE_MS = 3000;

const later = (ms) => new Promise((done) => setTimeout(done, ms));

async function unpacked(view) {
  const packed = new Blob([new Uint8Array(view.buffer, view.byteOffset, view.byteLength)]);
  const text = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return import(url).finally(() => URL.revokeObjectURL(url));
}

function fetched(model) {
  return new Promise((resolve, reject) => {
    const heard = (content, buffers) => {
      if (!content?.page) return;
      model.off("msg:custom", heard);
      if (buffers?.length) unpacked(buffers[0]).then(resolve, reject);
      else reject(new Error(content.page));
    };
    model.on("msg:custom", heard);
    model.send({ page: true });
  });
}

function page(model) {
  const build = model.get("_build");
  const asked = pages.get(build);
  if (asked) return Promise.race([asked, later(PATIENCE_MS).then(() => fetched(model))]);
  const first = fetched(model);
  pages.set(build, first);
  first.catch(() => pages.delete(build));
  return first;
}

/** Mounts the page in an element as soon as it is there; what is returned takes it away again. */
function mounted(el, model) {
  let gone = false;
  let dispose = () => {};
  el.dataset.live = "";
  page(model).then(
    ({ mount }) => {
      if (!gone) dispose = mount(el, model);
    },
    (error) => (el.textContent = `The page could not be loaded: ${error.message}`),
  );
  return () => {
    gone = true;
    delete el.dataset.live;
    dispose();
  };
}

function hidePictures() {
  if (document.getElementById("crosscut-pictures")) return;
  const style = document.createElement("style");
  style.id = "crosscut-pictures";
  style.textContent =
    ".jp-OutputArea-child:has(.crosscut-host[data-live]) + .jp-OutputArea-child{display:none!important}";
  document.head.append(style);
}

/** Mounts the page in every element with the widget's key, now and later; nothing may be awaited here. */
function initialize({ model }) {
  const shown = new Map();
  const find = () => {
    for (const el of document.querySelectorAll(`.crosscut-host[data-key="${model.get("key")}"]`))
      if (!shown.has(el)) shown.set(el, mounted(el, model));
    // A page whose element is gone would go on asking; one that only moves is in the document again by now.
    for (const [el, dispose] of shown) {
      if (el.isConnected) continue;
      shown.delete(el);
      dispose();
    }
  };
  hidePictures();
  find();
  const watch = new MutationObserver(find);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    watch.disconnect();
    for (const dispose of shown.values()) dispose();
  };
}

const render = ({ model, el }) => mounted(el, model);

export default { initialize, render };
