/** Reads summaries, policies and outcomes from the edge with the operator's credential, and issues that of the site's server. */
import {
  DEFAULT_SITE,
  OperatorSummary,
  PoliciesResponse,
  RotateCredentialResponse,
  TrajectoriesResponse,
  type TrajectoryRow,
} from "@waggle/protocol";

/** A client of the operator's API. */
export class OperatorClient {
  readonly #url: string;
  readonly #credential: string;

  constructor(url: string, credential: string) {
    this.#url = url;
    this.#credential = credential;
  }

  async #get(path: string): Promise<unknown> {
    for (let tries = 0; ; tries += 1) {
      try {
        const response = await fetch(`${this.#url}${path}`, {
          headers: { Authorization: `Bearer ${this.#credential}` },
          signal: AbortSignal.timeout(20_000),
        });
        if (!response.ok) throw new Error(`${path} responded with status ${response.status}`);
        return await response.json();
      } catch (error) {
        if (tries >= 5) throw error;
        await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** tries));
      }
    }
  }

  /** A new credential with which the site's server reports outcomes. */
  async outcomesCredential(): Promise<string> {
    const path = `/v1/operator/sites/${DEFAULT_SITE}/credentials`;
    const response = await fetch(`${this.#url}${path}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#credential}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ role: "outcomes" }),
    });
    if (!response.ok) throw new Error(`${path} responded with status ${response.status}`);
    return RotateCredentialResponse.parse(await response.json()).credential;
  }

  async summary(): Promise<OperatorSummary> {
    return OperatorSummary.parse(await this.#get("/v1/operator/summary"));
  }

  async policies(): Promise<PoliciesResponse> {
    return PoliciesResponse.parse(await this.#get("/v1/operator/policies"));
  }

  /** Every row, newest first. */
  async trajectories(): Promise<TrajectoryRow[]> {
    const rows: TrajectoryRow[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page: TrajectoriesResponse = TrajectoriesResponse.parse(
        await this.#get(`/v1/operator/trajectories?limit=200${query}`),
      );
      rows.push(...page.rows);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return rows;
  }
}
