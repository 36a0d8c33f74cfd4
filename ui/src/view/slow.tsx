// A slow answer in a pane or a small picture: a button that begins it, then how far it is and how to give it
// up.

import { Show, type JSX } from "solid-js";
import { Elapsed } from "./states";
import type { Answers } from "../model/answers";
import type { View } from "../protocol/View";

export function Slow(props: { view: View | undefined; answers: Answers; untitled?: boolean }): JSX.Element {
  const start = (
    <>
      <Show when={!props.untitled}>
        <strong>{props.view?.title}</strong>
        <p class="quiet">{props.view?.about}</p>
      </Show>
      <p>
        <button type="button" class="primary" title={props.view?.about} onClick={() => props.answers.start()}>
          Compute
        </button>
      </p>
    </>
  );
  return (
    <Show when={props.answers.waitsForStart() || props.answers.progress()}>
      <div class="centre">
        <div class="slow" role="status">
          <Show when={props.answers.progress()} fallback={start}>
            {(p) => (
              <>
                <div class="slow-says num">
                  <span>{p().what || "Computing"}</span> <span>{Math.round(p().share * 100)} %</span>{" "}
                  <Show when={props.answers.busySince()}>
                    {(since) => (
                      <span class="quiet">
                        <Elapsed since={since()} />
                      </span>
                    )}
                  </Show>
                </div>
                <progress max="1" value={p().share} aria-label={p().what || "Computing"} />
                <button type="button" onClick={() => props.answers.cancel()}>
                  Cancel
                </button>
              </>
            )}
          </Show>
        </div>
      </div>
    </Show>
  );
}
