import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NANO_MODEL } from "../../../../test/fixtures/demo.ts";
import { localServer } from "../../../../test/fixtures/local-server.ts";
import { openInstallation } from "./installation.ts";
import { publishLocalModel } from "./local-model.ts";

/** Publishes the nano model at an edge that answers its registration so. Returns what was registered. */
async function publish(answer: () => Response) {
  const folder = mkdtempSync(join(tmpdir(), "waggle-local-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const registered: string[] = [];
  const edge = await localServer((request) => {
    if (!request.url.endsWith("/base-model")) return Response.json({});
    registered.push(request.method);
    return answer();
  });
  onTestFinished(edge.close);
  const { signal } = new AbortController();
  const published = publishLocalModel(openInstallation(folder), {
    edgeUrl: edge.origin,
    model: NANO_MODEL,
    signal,
  });
  return { published, registered, folder };
}

test("the model is registered at the edge", async () => {
  const { published, registered } = await publish(() => Response.json({}));
  await published;
  expect(registered).toEqual(["PUT"]);
});

test("an installation that has learned with another base model says what to run instead", async () => {
  const error = { code: "CONFLICT", message: "of the edge" };
  const { published, folder } = await publish(() => Response.json({ error }, { status: 409 }));
  await expect(published).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringMatching(
      `^${folder} has trajectories or later versions of another base model than ${NANO_MODEL}\\..* Run with another --state folder, or delete this one with`,
    ),
  });
});
