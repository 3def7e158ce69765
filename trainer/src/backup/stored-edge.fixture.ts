/** An edge in memory that keeps rows, sites and objects, for tests of backup and restore. */
import { BACKUP_TABLES, type BackupRow, type Site } from "@waggle/protocol";

const PAGE = 2;

/** A site as the edge lists it. */
const siteOf = (id: string): Site => ({
  id,
  name: `Site ${id}`,
  createdAt: null,
  disabledAt: null,
  settings: { groupSize: 3, canaryShare: 0.2 },
  stored: ["groupSize"],
});

export class StoredEdge {
  readonly sites: Map<string, Site>;
  /** Rows by site and table. */
  readonly rows: Map<string, BackupRow[]> = new Map();
  readonly objects: Map<string, Uint8Array> = new Map();
  readonly calls: string[] = [];
  /** Calls that are answered before the edge refuses all others. */
  answered: number = Infinity;

  constructor(...sites: string[]) {
    this.sites = new Map(sites.map((id) => [id, siteOf(id)]));
  }

  of(site: string, table: string): BackupRow[] {
    const name = `${site}/${table}`;
    const found = this.rows.get(name) ?? [];
    this.rows.set(name, found);
    return found;
  }

  /** Everything but the calls, to compare two edges. */
  state(): unknown {
    const rows = Object.fromEntries([...this.rows].filter(([, each]) => each.length > 0));
    return { rows, objects: Object.fromEntries(this.objects), sites: [...this.sites.keys()] };
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    this.calls.push(`${request.method} ${pathname}`);
    if (this.calls.length > this.answered) return refuse(403, "FORBIDDEN");
    const [, , , kind = "", site = "", , table = ""] = pathname.split("/");
    // A compressed form says nothing that its object does not.
    if (pathname.endsWith("/gzip")) return Response.json({ sizeBytes: 0 });
    if (pathname.startsWith("/v1/objects/") || pathname.startsWith("/v1/trainer/objects/")) {
      return this.#object(request, pathname.split("/").at(-1) ?? "");
    }
    if (kind !== "sites") return refuse(404, "NOT_FOUND");
    if (table !== "") return this.#table(request, site, table, searchParams.get("cursor"));
    if (request.method === "GET" && site === "") {
      return Response.json({ sites: [...this.sites.values()] });
    }
    if (request.method === "POST") return this.#create((await request.json()) as Site);
    return Response.json(this.sites.get(site));
  };

  #create({ id, name, settings }: Site): Response {
    const site = { ...siteOf(id), name, settings };
    this.sites.set(id, site);
    return Response.json({ site, trainerCredential: "new-t", operatorCredential: "new-o" });
  }

  async #object(request: Request, sha256: string): Promise<Response> {
    if (request.method === "PUT") {
      this.objects.set(sha256, new Uint8Array(await request.arrayBuffer()));
      return Response.json({ sha256, sizeBytes: 0 });
    }
    const bytes = this.objects.get(sha256);
    if (bytes === undefined) return refuse(404, "NOT_FOUND");
    return new Response(request.method === "HEAD" ? null : new Uint8Array(bytes));
  }

  async #table(
    request: Request,
    site: string,
    table: string,
    cursor: string | null,
  ): Promise<Response> {
    const rows = this.of(site, table);
    if (request.method === "GET") {
      const from = Number(cursor ?? 0);
      const isLast = from + PAGE >= rows.length;
      const nextCursor = isLast ? null : String(from + PAGE);
      return Response.json({ rows: rows.slice(from, from + PAGE), nextCursor });
    }
    const { rows: sent } = (await request.json()) as { rows: BackupRow[] };
    const known = new Set(rows.map((row) => JSON.stringify(row)));
    const fresh = sent.filter((row) => !known.has(JSON.stringify(row)));
    rows.push(...fresh);
    return Response.json({ stored: fresh.length, forgotten: 0 });
  }
}

/** An edge with rows in every table and a model file. @param rows - of each table */
export function filledEdge(rows: number, sha256: string, bytes: Uint8Array): StoredEdge {
  const edge = new StoredEdge("default", "desk");
  const file = { sha256, sizeBytes: bytes.length };
  for (const site of ["default", "desk"]) {
    for (const table of BACKUP_TABLES) {
      for (let i = 0; i < rows; i++) {
        // U+2028 ends a line for some readers of lines.
        edge.of(site, table).push({ row: { site: `${site} ${table} ${i}`, text: "a\u2028b\nc" } });
      }
    }
    edge.rows.set(`${site}/baseModel`, [
      { row: { reference: JSON.stringify({ sha256, files: [{ path: "a.json", ...file }] }) } },
    ]);
    edge.rows.set(`${site}/policies`, [
      { row: { version: 0, publishedAt: `then at ${site}`, adapter: null, guidance: null } },
      {
        row: {
          version: 1,
          publishedAt: `later at ${site}`,
          adapter: JSON.stringify({ ...file, rank: 4, alpha: 8 }),
          guidance: null,
        },
      },
    ]);
    edge.rows.set(
      `${site}/trajectories`,
      Array.from({ length: rows }, (_, i) => ({
        row: { digest: `${site} ${i}`, sizeBytes: 2 },
        object: i === 0 ? null : `{"i":${i}}`,
      })),
    );
  }
  edge.objects.set(sha256, bytes);
  return edge;
}

function refuse(status: number, code: string): Response {
  return Response.json({ error: { code, message: "no" } }, { status });
}
