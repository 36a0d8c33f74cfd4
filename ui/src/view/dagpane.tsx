// The DAG pane: a graph pane in which a click selects and a double click opens or closes.

import { createMemo, type JSX } from "solid-js";
import { separated } from "../format";
import { openBelow, toggle } from "../model/actions";
import { dagOf } from "../model/dag";
import { fetchNode, select } from "../page";
import { styleOf } from "../draw/marks";
import { GraphPane, type Touched } from "./graphpane";
import { DAG_SHAPES } from "./legend";
import { Waiting } from "./states";

function detail({ picture, box }: Touched): string | undefined {
  const { press, meaning } = styleOf(picture, picture.boxes.style[box]!);
  if (meaning.includes("collapsed")) return "collapsed while recording";
  if (press === "spread") return "alike siblings: double click shows some of them";
  return press === "open" ? "double click opens" : undefined;
}

export function DagPane(props: { run: number; pane: number }): JSX.Element {
  const dag = createMemo(() => dagOf(props.run));
  const click = (at: Touched | null, e: MouseEvent): void => {
    select(props.run, at?.node ?? null);
    if (at && e.shiftKey) openBelow(dag(), at.node);
  };
  return (
    <GraphPane
      graph={dag()} pane={props.pane} grains={null} shapes={DAG_SHAPES} detail={detail} about={(node) => fetchNode(props.run, node)}
      onClick={click} onDoubleClick={(at) => toggle(dag(), at.node, at.box)}
      summary={(p) => (p ? `Task DAG, ${separated(p.visible)} visible nodes. Its table form is view 5.` : "Task DAG, loading")}
      waiting={<Waiting what="DAG" error={dag().error()} next={{ title: "Show the cut that the run opens with", run: dag().reset }} />}
      foot={(p) => <span class="quiet num">{separated(p.visible)} nodes shown</span>}
    />
  );
}
