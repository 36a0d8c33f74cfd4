// The page's icons: 16 × 16 line drawings in the text's colour; those of views come with their declarations.
// They are always beside a text or on a control with an accessible name, so they are hidden from screen
// readers.

import type { JSX } from "solid-js";

const PATHS: Record<string, string> = {
  table: "M1.5 2.5h13v11h-13ZM1.5 6h13M1.5 9.5h13M6 2.5v11",
  search: "M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M10.5 10.5l4 4",
  command: "m3 4 4 4-4 4M8.5 12.5H13",
  compare: "M1.5 2.5h5v11h-5ZM9.5 2.5h5v11h-5Z",
  export: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 11v2.5h11V11",
  sun: "M5 8a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6 13 13M3 13l1.4-1.4M11.6 4.4 13 3",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
  help: "M1.8 8a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0M6 6.3a2 2 0 1 1 2.8 1.9c-.6.3-.8.6-.8 1.3M8 11.6v.2",
  splitRight: "M1.5 2.5h13v11h-13ZM8 2.5v11",
  splitBelow: "M1.5 2.5h13v11h-13ZM1.5 8h13",
  swap: "M4.5 6.5h9M11 4l2.5 2.5L11 9M11.5 10.5h-9M5 8l-2.5 2.5L5 13",
  maximise: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  restore: "M6 2.5V6H2.5M13.5 6H10V2.5M10 13.5V10h3.5M2.5 10H6v3.5",
  close: "m3.5 3.5 9 9M12.5 3.5l-9 9",
  link: "M6.5 9.5 9.5 6.5M7.5 4.5 9 3a2.8 2.8 0 0 1 4 4l-1.5 1.5M8.5 11.5 7 13a2.8 2.8 0 0 1-4-4l1.5-1.5",
  strong: "M3 2.5 8 6l-3 3.5L10 14",
  inspector: "M1.5 2.5h13v11h-13ZM10.5 2.5v11",
  down: "m4 6.5 4 4 4-4",
  left: "m10 3.5-4.5 4.5L10 12.5",
  right: "m6 3.5 4.5 4.5L6 12.5",
  open: "M8 3.5v9M3.5 8h9",
  shut: "M3.5 8h9",
  below: "M4 3.5 8 7l4-3.5M4 8.5 8 12l4-3.5",
  up: "M8 13V3.5M4 7.5l4-4 4 4",
  warning: "M8 2 14.5 13.5h-13ZM8 6.5v3.5M8 11.6v.4",
};

/** An icon by name, or by the outline that a view declares. */
export function Icon(props: { name?: string; path?: string }): JSX.Element {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="1.3"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={props.path ?? PATHS[props.name ?? ""] ?? ""} />
    </svg>
  );
}
