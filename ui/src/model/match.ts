// How well a text fits what was typed: 0 not at all, more for matches at the beginning of words. Pure.

export function matches(title: string, query: string): number {
  const text = title.toLowerCase();
  const words = query.toLowerCase().trim();
  if (words === "") return 1;
  const at = text.indexOf(words);
  if (at >= 0) return text === words ? 5 : at === 0 || text[at - 1] === " " ? 4 : 3;
  return words.split(/\s+/).every((w) => text.includes(w)) ? 2 : 0;
}
