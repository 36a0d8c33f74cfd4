// The page's icons: 16 × 16 line drawings in the text's colour. A name goes in, an SVG comes out; they are always
// beside a text or on a control with an accessible name, so they are hidden from screen readers.

import type { JSX } from "solid-js";

const PATHS: Record<string, () => JSX.Element> = {
  overview: () => <><path d="M2 13.5h12" /><path d="M3.5 13V8M6.5 13V4M9.5 13V6.5M12.5 13V2.5" stroke-width="2" /></>,
  dag: () => <><rect x="6" y="1.5" width="4" height="3" /><rect x="1.5" y="7" width="4" height="3" /><rect x="10.5" y="7" width="4" height="3" /><path d="M7 4.5 3.5 7M9 4.5 12.5 7M3.5 10 7 13M12.5 10 9 13" /><path d="M6 14h4" stroke-width="2" /></>,
  grain: () => <><path d="M8 1 10.5 4h-5ZM8 15l2.5-3h-5Z" /><rect x="1.5" y="6" width="3" height="4" /><rect x="6.5" y="6" width="3" height="4" /><rect x="11.5" y="6" width="3" height="4" /></>,
  timeline: () => <><path d="M1.5 4h6M9 4h5.5M1.5 8h3M6 8h6M1.5 12h8M11 12h3.5" stroke-width="2.2" /></>,
  table: () => <><rect x="1.5" y="2.5" width="13" height="11" /><path d="M1.5 6h13M1.5 9.5h13M6 2.5v11" /></>,
  search: () => <><circle cx="7" cy="7" r="4.5" /><path d="m10.5 10.5 4 4" /></>,
  command: () => <><path d="m3 4 4 4-4 4M8.5 12.5H13" /></>,
  compare: () => <><rect x="1.5" y="2.5" width="5" height="11" /><rect x="9.5" y="2.5" width="5" height="11" /></>,
  export: () => <><path d="M8 2v8M4.8 7 8 10.2 11.2 7M2.5 11v2.5h11V11" /></>,
  sun: () => <><circle cx="8" cy="8" r="3" /><path d="M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6 13 13M3 13l1.4-1.4M11.6 4.4 13 3" /></>,
  moon: () => <path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z" />,
  help: () => <><circle cx="8" cy="8" r="6.2" /><path d="M6 6.3a2 2 0 1 1 2.8 1.9c-.6.3-.8.6-.8 1.3" /><path d="M8 11.6v.2" stroke-width="1.8" /></>,
  splitRow: () => <><rect x="1.5" y="2.5" width="13" height="11" /><path d="M8 2.5v11" /></>,
  splitColumn: () => <><rect x="1.5" y="2.5" width="13" height="11" /><path d="M1.5 8h13" /></>,
  swap: () => <path d="M4.5 6.5h9M11 4l2.5 2.5L11 9M11.5 10.5h-9M5 8l-2.5 2.5L5 13" />,
  maximise: () => <path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" />,
  restore: () => <path d="M6 2.5V6H2.5M13.5 6H10V2.5M10 13.5V10h3.5M2.5 10H6v3.5" />,
  close: () => <path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />,
  link: () => <><path d="M6.5 9.5 9.5 6.5" /><path d="M7.5 4.5 9 3a2.8 2.8 0 0 1 4 4l-1.5 1.5M8.5 11.5 7 13a2.8 2.8 0 0 1-4-4l1.5-1.5" /></>,
  critical: () => <><path d="M3 2.5 8 6l-3 3.5L10 14" stroke-width="2" /><circle cx="3" cy="2.5" r="1.2" /><circle cx="10" cy="14" r="1.2" /></>,
  inspector: () => <><rect x="1.5" y="2.5" width="13" height="11" /><path d="M10.5 2.5v11" /></>,
  down: () => <path d="m4 6.5 4 4 4-4" />,
  left: () => <path d="m10 3.5-4.5 4.5L10 12.5" />,
  right: () => <path d="m6 3.5 4.5 4.5L6 12.5" />,
  open: () => <path d="M8 3.5v9M3.5 8h9" />,
  shut: () => <path d="M3.5 8h9" />,
  below: () => <path d="M4 3.5 8 7l4-3.5M4 8.5 8 12l4-3.5" />,
  up: () => <path d="M8 13V3.5M4 7.5l4-4 4 4" />,
  warning: () => <><path d="M8 2 14.5 13.5h-13Z" /><path d="M8 6.5v3.5M8 11.6v.4" /></>,
};

export function Icon(props: { name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round">
      {PATHS[props.name]?.()}
    </svg>
  );
}
