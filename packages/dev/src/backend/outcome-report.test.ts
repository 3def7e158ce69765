/** Outcomes of a site's server at an edge that is busy at first. */
import { expect, onTestFinished, test } from "vitest";
import { localServer } from "../../../../test/fixtures/local-server.ts";
import { outcomeReport } from "./outcome-report.ts";

const OUTCOME = { id: "one", trajectoryId: "two", metric: "solved", value: true };

/** An edge with these answers, one after another. */
async function edgeWith(...answers: readonly (readonly [number, object])[]) {
  const asked: { path: string; credential: string | null; body: unknown }[] = [];
  const server = await localServer(async (request) => {
    asked.push({
      path: new URL(request.url).pathname,
      credential: request.headers.get("authorization"),
      body: await request.json(),
    });
    const [status, body] = answers[asked.length - 1] ?? [500, {}];
    return Response.json(body, { status });
  });
  onTestFinished(() => server.close());
  return { report: outcomeReport(server.origin, "of-the-server"), asked };
}

test("an outcome is sent with the credential of the site's server, and again to a busy edge", async () => {
  const { report, asked } = await edgeWith([429, {}], [200, { results: [{ status: "stored" }] }]);
  await report([OUTCOME]);
  expect(asked).toEqual(
    Array.from({ length: 2 }, () => ({
      path: "/v1/outcomes",
      credential: "Bearer of-the-server",
      body: { outcomes: [OUTCOME] },
    })),
  );
});

test("an outcome that the edge refuses is an error", async () => {
  const refused = await edgeWith([200, { results: [{ status: "refused", message: "no metric" }] }]);
  await expect(refused.report([OUTCOME])).rejects.toThrow(/did not take an outcome.*no metric/);
  const denied = await edgeWith([401, {}]);
  await expect(denied.report([OUTCOME])).rejects.toThrow(/\(401\)/);
});
