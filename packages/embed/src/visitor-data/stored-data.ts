/** Reads what the edge stores of this visitor. It is loaded when the visitor looks at it. */
import type { EdgeSession } from "@waggle/collector";
import { isObject, WaggleError } from "@waggle/protocol";

/** One page of the stored data. */
export type StoredPage = {
  /** JSON lines, each with a line break; empty if the page has nothing. */
  readonly text: string;
  /** Counts of all that is stored; only on the first page. */
  readonly counts: { readonly trajectories: number; readonly feedback: number } | null;
  /** Cursor of the next page; `null` on the last. */
  readonly next: string | null;
};

type Session = Pick<EdgeSession, "request">;

/**
 * A page of what is stored under the visitor's present id and the ids before it, one after the other.
 * @param after - `next` of the page before; `null`: the first page, which counts the data of all ids.
 * @throws WaggleError `NETWORK` if the edge does not answer, or is of a release that cannot.
 */
export async function readStored(
  session: Session & { readonly earlier: () => readonly Session[] },
  after: string | null,
): Promise<StoredPage> {
  const sessions = [session, ...session.earlier()];
  // Cursors of earlier ids begin with their place.
  const [, place = "0", cursor = ""] = /^(?:(\d+):)?(.*)$/.exec(after ?? "") ?? [];
  const at = Number(place);
  const page = await readPage(sessions[at] ?? session, cursor === "" ? null : cursor);
  const isLast = at + 1 >= sessions.length;
  const next =
    page.next === null ? (isLast ? null : cursorOf(at + 1, "")) : cursorOf(at, page.next);
  if (after !== null || page.counts === null) return { ...page, counts: null, next };
  const { ...counts } = page.counts;
  for (const earlier of sessions.slice(1)) {
    const others = (await readPage(earlier, null)).counts;
    counts.trajectories += others?.trajectories ?? 0;
    counts.feedback += others?.feedback ?? 0;
  }
  return { ...page, counts, next };
}

const cursorOf = (at: number, cursor: string): string => (at === 0 ? cursor : `${at}:${cursor}`);

async function readPage(session: Session, after: string | null): Promise<StoredPage> {
  const query = after === null ? "" : `?after=${encodeURIComponent(after)}`;
  const response = await session.request(`/v1/visitor${query}`);
  const lines = response.ok ? (await response.text()).trimEnd().split("\n") : [];
  const last = parsed(lines.at(-1));
  if (last["kind"] !== "next" && last["kind"] !== "end") {
    throw new WaggleError("NETWORK", `the edge answered HTTP ${response.status} without its data`, {
      retryable: true,
    });
  }
  const { trajectories, feedback } = parsed(lines[0]);
  const hasCounts = Number.isInteger(trajectories) && Number.isInteger(feedback);
  return {
    text: lines
      .slice(0, -1)
      .map((line) => `${line}\n`)
      .join(""),
    counts: hasCounts ? { trajectories: Number(trajectories), feedback: Number(feedback) } : null,
    next: last["kind"] === "next" ? String(last["after"]) : null,
  };
}

/** An object; an empty one for a line that is none. */
function parsed(line = ""): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
