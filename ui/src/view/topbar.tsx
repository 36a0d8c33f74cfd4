// The top bar: which run, where the selection lies in it, what decides colour and height, search, and the page's own
// commands. Every control here is also a command in the palette.

import { createEffect, createMemo, createSignal, For, Show, type JSX } from "solid-js";
import { COLOUR_TITLES, keysOf, SCALE_TITLES, setColour, toggleTheme } from "../commands";
import { titleParts } from "../format";
import { exportPicture, goToNode } from "../model/actions";
import { setOverlay } from "../model/overlay";
import { goToGrain } from "../model/grain";
import { currentRun, fetchGrain, fetchNode, hello, knownGrain, knownNode, runInfo, state, tell, theme, update } from "../page";
import { aboutGrains, activePane, comparing } from "../state";
import type { Crumb } from "../protocol/Crumb";
import { Choice, handBack, IconButton, named, noteStepping } from "./controls";
import { Icon } from "./icons";
import { LensMenu } from "./lens";
import { SearchBox } from "./search";

export function TopBar(): JSX.Element {
  const compared = () => state().panes.length === 2 && state().panes[0]!.run !== state().panes[1]!.run;
  const compare = (): void => {
    if (state().runs.length < 2) return tell({ text: "Only one run is open. Compare two with: crosscut view RUN_A RUN_B", problem: false });
    update((s) => (compared() ? { ...s, panes: [activePane(s)], active: 0 } : comparing(s, activePane(s).view)), "compare");
  };
  return (
    <header class="topbar">
      <Run />
      <Crumbs />
      <LensMenu />
      <Choice label="Colour" title="What decides the colour of a mark" value={aboutGrains(state()) ? state().grainColour : state().colour} options={COLOUR_TITLES} onChange={setColour} />
      <Choice label="Height" title="What decides the height of a box in a graph" value={state().scale} options={SCALE_TITLES} onChange={(scale) => update((s) => ({ ...s, scale }), "scale")} />
      <button type="button" class="toggle critical" aria-pressed={state().critical} title={named("Mark the critical path", "C")} onClick={() => update((s) => ({ ...s, critical: !s.critical }), "critical")}>
        <Icon name="critical" /> <span class="wide">Critical path</span>
      </button>
      <SearchBox />
      <div class="tools">
        <IconButton icon="command" title="All commands" key={keysOf("palette")} onClick={() => setOverlay("palette")} />
        <IconButton icon="compare" title="Compare two runs side by side" key={keysOf("compare")} pressed={compared()} onClick={compare} />
        <Show when={compared()}>
          <IconButton icon="link" title="Link zoom of both runs" key={keysOf("link")} pressed={state().linked} onClick={() => update((s) => ({ ...s, linked: !s.linked }), "link")} />
        </Show>
        <ExportMenu />
        <IconButton icon="inspector" title="Inspector" key={keysOf("inspector")} pressed={state().inspector} onClick={() => update((s) => ({ ...s, inspector: !s.inspector }), "")} />
        <IconButton icon={theme() === "dark" ? "sun" : "moon"} title={theme() === "dark" ? "Light" : "Dark"} key={keysOf("theme")} onClick={toggleTheme} />
        <IconButton icon="help" title="Help: keys and hands" key="?" onClick={() => setOverlay("help")} />
      </div>
    </header>
  );
}

/** The run's name; a choice when there are several. */
function Run(): JSX.Element {
  return (
    <Show when={(hello()?.runs.length ?? 0) > 1} fallback={<strong class="run-name" title={`${runInfo(currentRun())?.name} · crosscut ${hello()?.crosscut}`}>{runInfo(currentRun())?.name}</strong>}>
      <select
        class="run-name" aria-label="Run of the active pane" onKeyDown={noteStepping}
        onChange={(e) => {
          const run = Number(e.currentTarget.value);
          update((s) => ({ ...s, panes: s.panes.map((p, i) => (i === s.active ? { ...p, run } : p)) }), "run");
          handBack(e);
        }}
      >
        <For each={hello()!.runs}>{(r, i) => <option value={i()} selected={i() === currentRun()}>{r.name}</option>}</For>
      </select>
    </Show>
  );
}

/** Ancestors of the selection; the middle is left out when there are many. */
function Crumbs(): JSX.Element {
  const [path, setPath] = createSignal<Crumb[]>([]);
  const grains = createMemo(() => aboutGrains(state()));
  const node = createMemo(() => state().runs[currentRun()]?.[grains() ? "grain" : "selected"] ?? null);
  createEffect(() => {
    const [run, n] = [currentRun(), node()];
    if (n === null) return void setPath([]);
    const [known, fetched] = grains() ? [knownGrain(run, n), fetchGrain] as const : [knownNode(run, n), fetchNode] as const;
    const fill = (info: { path: Crumb[]; title: string; node: number }) => setPath([...info.path.filter((c) => c.node !== n), { node: n, title: info.title }]);
    if (known) fill(known);
    else fetched(run, n).then((info) => node() === n && fill(info), () => {});
  });
  const short = () => {
    const p = path();
    return p.length <= 3 ? p.map((c) => ({ c, gap: false })) : [{ c: p[0]!, gap: false }, ...p.slice(-2).map((c, i) => ({ c, gap: i === 0 }))];
  };
  return (
    <nav class="crumbs" aria-label="Ancestors of the selection">
      <For each={short()}>
        {({ c, gap }) => (
          <>
            <span class="crumb-mark" aria-hidden="true">{gap ? "› … ›" : "›"}</span>
            <button type="button" class="crumb" classList={{ last: c.node === node() }} title={`${c.title} #${c.node}`} onClick={() => (grains() ? goToGrain : goToNode)(currentRun(), c.node)}>
              <span class="crumb-name"><bdi>{titleParts(c.title).name}</bdi></span><span class="crumb-kind">{titleParts(c.title).kind}</span>
            </button>
          </>
        )}
      </For>
    </nav>
  );
}

function ExportMenu(): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const choose = (format: "svg" | "png"): void => {
    setOpen(false);
    exportPicture(format);
  };
  return (
    <div class="menu" onFocusOut={(e) => !e.currentTarget.contains(e.relatedTarget as Node | null) && setOpen(false)}>
      <IconButton icon="export" title="Export the picture" pressed={open()} onClick={() => setOpen(!open())} />
      <Show when={open()}>
        <div class="menu-list" role="menu">
          <button type="button" role="menuitem" onClick={() => choose("svg")}>SVG of the active pane</button>
          <button type="button" role="menuitem" onClick={() => choose("png")}>PNG of the active pane</button>
        </div>
      </Show>
    </div>
  );
}
