// Keys as text ("Ctrl+K", "Shift+P", "["), so that commands, help and palette name them the same way. An
// event goes in, the name of what was pressed comes out; names are matched against the commands' lists.

const NAMED: Record<string, string> = {
  " ": "Space",
  ArrowLeft: "Left",
  ArrowRight: "Right",
  ArrowUp: "Up",
  ArrowDown: "Down",
  Escape: "Esc",
};

/** Letters and signs as they were typed; Shift is named only for letters, whose sign it does not change. */
export function keyName(
  e: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">,
): string {
  const letter = /^[a-z]$/i.test(e.key);
  const base = NAMED[e.key] ?? (letter ? e.key.toUpperCase() : e.key);
  const parts: string[] = [];
  if (e.ctrlKey || e.metaKey) parts.push("Ctrl");
  if (e.altKey) parts.push("Alt");
  if (e.shiftKey && (letter || base.length > 1)) parts.push("Shift");
  parts.push(base);
  return parts.join("+");
}

export const onMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** The key as it is shown to people. */
export function keyLabel(name: string, mac: boolean): string {
  const text = name
    .replace("Left", "←")
    .replace("Right", "→")
    .replace("Up", "↑")
    .replace("Down", "↓")
    .replace("Backspace", "⌫")
    .replace("Enter", "↵");
  return mac ? text.replace("Ctrl+", "⌘").replace("Shift+", "⇧").replace("Alt+", "⌥") : text;
}

/** Keys that sliders and check boxes use themselves. */
const HANDLE = /^(Left|Right|Up|Down|Home|End|PageUp|PageDown|Space)$/;

/** Whether the key belongs to the field that has the focus. */
export function typing(target: EventTarget | null, name: string): boolean {
  const el = target as HTMLElement | null;
  if (el?.tagName === "INPUT" && ["range", "checkbox"].includes((el as HTMLInputElement).type))
    return HANDLE.test(name);
  return (
    !!el &&
    (el.tagName === "INPUT" || el.tagName === "TEXTAREA" || el.tagName === "SELECT" || el.isContentEditable)
  );
}
