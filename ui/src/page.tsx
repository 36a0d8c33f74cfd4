// Mounts a page: a root element, a host and a transport go in, a page that can be taken away again comes out.
// Nothing of it is shared with another page of the same document.

import { render } from "solid-js/web";
import { BenchProvider, createBench, type Bench } from "./bench";
import { probeOf, type Probe } from "./probe";
import { Frame } from "./view/frame";
import type { Host } from "./host";
import type { Transport } from "./transport";

export interface Mounted {
  /** What tests and hosts may ask. */
  probe: Probe;
  dispose: () => void;
}

export function createPage(root: HTMLElement, host: Host, transport: Transport): Mounted {
  root.classList.add("crosscut");
  let bench!: Bench;
  const dispose = render(() => {
    bench = createBench(host, transport);
    bench.store.start();
    return (
      <BenchProvider value={bench}>
        <Frame />
      </BenchProvider>
    );
  }, root);
  return { probe: probeOf(bench), dispose };
}
