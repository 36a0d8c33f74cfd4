import { afterEach, expect, it, vi } from "vitest";
// What a notebook loads for each widget; it belongs to the Python package.
import LOADER from "../../python/crosscut/loader.js?raw";

interface Host {
  isConnected: boolean;
  dataset: { live?: string };
}

afterEach(() => vi.unstubAllGlobals());

it("takes a page away whose element has left the document, and mounts one that comes back", async () => {
  const hosts: Host[] = [];
  let changed = (): void => {};
  vi.stubGlobal("document", {
    body: {},
    getElementById: () => ({}),
    querySelectorAll: () => hosts.filter((el) => el.isConnected),
  });
  vi.stubGlobal(
    "MutationObserver",
    class {
      constructor(heard: () => void) {
        changed = heard;
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
  const { default: loader } = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(LOADER)}`
  )) as {
    default: { initialize: (of: { model: unknown }) => () => void };
  };
  const model = { get: () => "key", on: () => {}, off: () => {}, send: () => {} };
  const [first, second]: [Host, Host] = [
    { isConnected: true, dataset: {} },
    { isConnected: false, dataset: {} },
  ];
  hosts.push(first, second);
  const dispose = loader.initialize({ model });
  const live = (): boolean[] => hosts.map((el) => el.dataset.live !== undefined);
  expect(live()).toEqual([true, false]);
  // The output is drawn anew in another element, as a notebook does when it is shown a second time.
  [first.isConnected, second.isConnected] = [false, true];
  changed();
  expect(live()).toEqual([false, true]);
  first.isConnected = true;
  changed();
  expect(live()).toEqual([true, true]);
  dispose();
  expect(live()).toEqual([false, false]);
});
