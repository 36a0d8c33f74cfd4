// The token of the launch link. The page takes it out of its address, keeps it and sends it with every question
// itself: a browser sends cookies to every server on this machine, whatever its port, but never this.

const KEPT = "crosscut.token";

/** The token, and the address without it; null where there is nothing to take out. */
export function split(address: string): { token: string | null; rest: string } {
  const url = new URL(address);
  const token = url.searchParams.get("token");
  url.searchParams.delete("token");
  return { token, rest: url.pathname + url.search + url.hash };
}

/** The token of the address, or the one that was kept when the page was opened the first time. */
export function takeToken(): string {
  const { token, rest } = split(location.href);
  try {
    if (token === null) return localStorage.getItem(KEPT) ?? "";
    localStorage.setItem(KEPT, token); // for this server alone: what is stored belongs to host and port
    history.replaceState(null, "", rest);
  } catch {
    // A window that keeps nothing: the token stays in the address, so that the page can be loaded again.
  }
  return token ?? "";
}
