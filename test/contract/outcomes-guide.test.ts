/** The function of docs/how-to/outcomes.md with which a site's server reports, against a server that checks requests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { json } from "node:stream/consumers";
import { type Outcome, OutcomesRequest, OutcomesResponse } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";

const GUIDE = join(import.meta.dirname, "../../docs/how-to/outcomes.md");

type Report = (outcomes: readonly Outcome[]) => Promise<OutcomesResponse["results"]>;

/** The function, as Node loads it from a file. */
async function guideFunction(): Promise<Report> {
  const blocks = readFileSync(GUIDE, "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm);
  const code = [...blocks]
    .map(([, block = ""]) => block)
    .find((block) => block.includes("/v1/outcomes"));
  const folder = mkdtempSync(join(tmpdir(), "waggle-outcomes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "report.ts");
  writeFileSync(file, code ?? "");
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    reportOutcomes: Report;
  };
  return module.reportOutcomes;
}

test("the guide's function for a server sends what the edge accepts, and tries again when it is busy", async () => {
  const requests: { path: string | undefined; authorization: string | undefined; body: unknown }[] =
    [];
  const statuses = [503, 429, 200, 401];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url, headers } = request;
    requests.push({ path: url, authorization: headers.authorization, body: await json(request) });
    const status = statuses.shift() ?? 500;
    const { outcomes } = OutcomesRequest.parse(requests.at(-1)?.body);
    const results = outcomes.map(({ id }) => ({ id, status: "stored" as const }));
    response.writeHead(status, { "content-type": "application/json", "retry-after": "0" });
    response.end(JSON.stringify(status === 200 ? OutcomesResponse.parse({ results }) : {}));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  process.env["WAGGLE_EDGE_URL"] = `http://127.0.0.1:${port}`;
  process.env["WAGGLE_OUTCOMES_CREDENTIAL"] = "secret";
  onTestFinished(() => {
    server.close();
    delete process.env["WAGGLE_EDGE_URL"];
    delete process.env["WAGGLE_OUTCOMES_CREDENTIAL"];
  });
  const reportOutcomes = await guideFunction();
  const outcome: Outcome = {
    id: crypto.randomUUID(),
    trajectoryId: crypto.randomUUID(),
    metric: "booked",
    value: true,
    at: "2026-11-28T09:30:00.000Z",
  };
  expect(await reportOutcomes([outcome])).toEqual([{ id: outcome.id, status: "stored" }]);
  const request = {
    path: "/v1/outcomes",
    authorization: "Bearer secret",
    body: { outcomes: [outcome] },
  };
  expect(requests).toEqual([request, request, request]);
  await expect(reportOutcomes([outcome])).rejects.toThrow(/^401/);
  expect(requests).toHaveLength(4);
});
