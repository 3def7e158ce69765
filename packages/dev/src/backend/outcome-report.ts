/** Reports outcomes of a site to its edge with the credential of the site's server. */

/** Waits before a report that the edge had no time for is sent again. */
const WAITS_MS = [250, 1000, 4000];

/** @returns a function that throws an error if the edge refuses an outcome. */
export function outcomeReport(
  edgeUrl: string,
  credential: string,
): (outcomes: readonly object[]) => Promise<void> {
  return async (outcomes) => {
    for (let tries = 0; ; tries += 1) {
      const response = await fetch(`${edgeUrl}/v1/outcomes`, {
        method: "POST",
        headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
        body: JSON.stringify({ outcomes }),
      });
      const wait = WAITS_MS[tries];
      const isBusy = response.status === 429 || response.status >= 500;
      if (isBusy && wait !== undefined) {
        await response.body?.cancel();
        await new Promise((resolve) => setTimeout(resolve, wait));
        continue;
      }
      const text = await response.text();
      if (!response.ok || text.includes('"refused"')) {
        throw new Error(`the edge did not take an outcome (${response.status}): ${text}`);
      }
      return;
    }
  };
}
