// Something that costs time: its number, what was seen and where, what it costs, what to try, and a small
// picture that shows it. A click opens the look in which it is seen best.

import { Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { plain, sentence } from "../model/sheet";
import { quantity } from "../format";
import { CellView } from "./cell";
import { Picture } from "./picture";
import type { Finding } from "../protocol/Finding";

const PICTURE_HEIGHT = 96;

export function FindingBlock(props: { finding: Finding; run: number; small?: boolean }): JSX.Element {
  const { findings } = useBench();
  const f = () => props.finding;
  const current = () => findings.current()?.run === props.run && findings.current()?.number === f().number;
  const share = (): number | null => {
    const { cost } = f();
    return cost.is === "number" ? cost.share : null;
  };
  return (
    <div
      class="finding"
      classList={{ current: current(), small: props.small === true, [f().severity]: true }}
    >
      <button
        type="button"
        class="finding-open"
        title={f().advice}
        aria-label={`${f().number}. ${f().what}, ${plain(f().cost)}, ${f().severity} severity`}
        onClick={() => findings.go(props.run, f())}
      >
        <span class="finding-number" aria-hidden="true">
          {f().number}
        </span>
        <span class="finding-words">
          <span class="finding-title">
            <span class="finding-what">{sentence(f().what)}</span>{" "}
            <Show when={f().line}>{(line) => <CellView cell={line()} />}</Show>
          </span>
          <Show when={!props.small}>
            <Show when={f().evidence}>
              <span class="finding-evidence">{f().evidence}</span>
            </Show>
            <Show when={f().advice}>
              <span class="finding-advice">→ {sentence(f().advice)}</span>
            </Show>
          </Show>
        </span>
        <span class="finding-cost num">
          <Show when={share() !== null}>
            <strong>{quantity(share()! * 100, "percent")}</strong>
          </Show>
          <span class="quiet">
            {plain(f().cost)} {f().spent ? "spent" : "lost"}
          </span>
          <Show when={!props.small && f().without}>
            {(without) => (
              <>
                <span>{plain(without())}</span>
                <span class="quiet">without it ({f().bound ? "at most" : "replay"})</span>
              </>
            )}
          </Show>
        </span>
      </button>
      <Show when={!props.small && f().picture}>
        {(look) => (
          <Picture
            look={look()}
            height={look().size.h > 32 && look().size.h < 400 ? look().size.h : PICTURE_HEIGHT}
          />
        )}
      </Show>
    </div>
  );
}
