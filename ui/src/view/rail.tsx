// The rail: the views of the run that is looked at, under the headings of their domains, with keys 1…9 in
// this order.

import { For, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { listed } from "../views";
import { named } from "./controls";
import { Icon } from "./icons";
import type { View } from "../protocol/View";

export function Rail(): JSX.Element {
  const { store } = useBench();
  const views = (): View[] => {
    const info = store.runInfo(store.currentRun());
    return info ? listed(info) : [];
  };
  /** Headings are only worth their room where there are several domains. */
  const headed = (i: number): string => {
    const all = views();
    const section = all[i]!.section;
    const several = new Set(all.map((v) => v.section).filter(Boolean)).size > 2;
    return several && section !== "" && (i === 0 || all[i - 1]!.section !== section) ? section : "";
  };
  const current = (view: View): boolean => store.activeView()?.name === view.name;
  return (
    <nav class="rail" aria-label="Views">
      <For each={views()}>
        {(view, i) => (
          <>
            <Show when={headed(i())}>{(text) => <span class="rail-head">{text()}</span>}</Show>
            <button
              type="button"
              aria-current={current(view) ? "page" : undefined}
              aria-label={view.title}
              title={named(
                view.about ? `${view.title}: ${view.about}` : view.title,
                i() < 9 ? String(i() + 1) : undefined,
              )}
              onClick={(e) => {
                store.show(view.name);
                // Who points goes on in the pane; who steps with keys stays here.
                if (e.detail > 0) e.currentTarget.blur();
              }}
            >
              <Icon path={view.icon} />
              <span>{view.title}</span>
            </button>
          </>
        )}
      </For>
    </nav>
  );
}
