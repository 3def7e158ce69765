import { expect, test } from "vitest";
import { runOperator as run } from "./operator-run.fixture.ts";

const AT = "2026-11-23T01:00:00.000Z";

/** The refusal of arguments, and that nothing was sent. */
async function refused(...args: string[]): Promise<string> {
  const sent = run(["sites", ...args], {});
  return sent.then(
    ({ seen }) => `accepted: ${JSON.stringify(seen)}`,
    (error: Error) => error.message,
  );
}

const desk = (edit: object = {}) => ({
  id: "desk",
  name: "Help desk",
  createdAt: AT,
  disabledAt: null,
  settings: { siteKeys: ["a", "b"], allowedOrigins: ["https://help.example"], groupSize: 4 },
  ...edit,
});

test("sites lists all sites as a table, or as JSON", async () => {
  const sites = [desk({ id: "default", name: "default", createdAt: null }), desk()];
  const { lines, seen } = await run(["sites"], { sites });
  expect(seen).toEqual([{ call: "GET /v1/operator/sites", by: "maren", site: null, body: null }]);
  expect(lines).toEqual([
    "site     state   tasks  origins               name",
    "default  served  none   https://help.example  default",
    "desk     served  none   https://help.example  Help desk",
  ]);
  const json = await run(["sites", "list", "--json"], { sites });
  expect(json.lines).toEqual([JSON.stringify({ sites })]);
});

test("sites show prints one setting per line", async () => {
  const { lines, seen } = await run(["sites", "show", "desk"], desk({ disabledAt: AT }));
  expect(seen[0]?.call).toBe("GET /v1/operator/sites/desk");
  expect(lines).toEqual([
    `desk (Help desk): disabled since ${AT}`,
    "  siteKeys=a,b",
    "  allowedOrigins=https://help.example",
    "  groupSize=4",
  ]);
});

test("sites add sends settings of every type and shows the credentials of the new site", async () => {
  const answer = { site: desk(), trainerCredential: "t-secret", operatorCredential: "o-secret" };
  const args = ["sites", "add", "desk", "--name", "Help desk", "--as", "Zoë"];
  const settings = ["siteKeys=a=1, b", "taskEnvironment=desk", "canaryShare=0.5", "groupSize=4"];
  const { lines, seen } = await run([...args, ...settings, "edgeTools="], answer);
  expect(seen).toEqual([
    {
      call: "POST /v1/operator/sites",
      by: "Zoë",
      site: null,
      body: {
        id: "desk",
        name: "Help desk",
        settings: {
          siteKeys: ["a=1", "b"],
          taskEnvironment: "desk",
          canaryShare: 0.5,
          groupSize: 4,
        },
      },
    },
  ]);
  expect(lines.slice(-3)).toEqual([
    "trainer's credential: t-secret",
    "operator's credential: o-secret",
    "Keep the credentials; the edge does not show them again.",
  ]);
});

test("sites set changes the named settings only, and an empty value removes one", async () => {
  const { seen } = await run(["sites", "set", "desk", "groupSize=", "gateMargin=0.1"], desk());
  expect(seen[0]).toMatchObject({
    call: "PUT /v1/operator/sites/desk",
    body: { settings: { groupSize: null, gateMargin: 0.1 } },
  });
});

test("sites shows what is stored for `default` before the Worker's variables, and which credential it rotates", async () => {
  const site = desk({ id: "default", name: "Shop", stored: ["groupSize"] });
  const { lines, seen } = await run(["sites", "set", "default", "groupSize=4"], site);
  expect(seen[0]).toMatchObject({
    call: "PUT /v1/operator/sites/default",
    body: { settings: { groupSize: 4 } },
  });
  expect(lines).toEqual([
    "default (Shop): served",
    "  groupSize=4",
    "from the Worker's variables:",
    "  siteKeys=a,b",
    "  allowedOrigins=https://help.example",
  ]);
  const rotated = await run(["sites", "rotate", "default", "trainer"], { credential: "new" });
  expect(rotated.lines[1]).toContain("The installation's credential still works");
});

test("sites disable, enable and rotate", async () => {
  const off = await run(["sites", "disable", "desk"], desk({ disabledAt: AT }));
  expect(off.seen[0]?.call).toBe("PUT /v1/operator/sites/desk/disabled");
  const on = await run(["sites", "enable", "desk"], desk());
  expect(on.seen[0]?.call).toBe("DELETE /v1/operator/sites/desk/disabled");
  const rotate = ["sites", "rotate", "desk", "trainer"];
  const { lines, seen } = await run([...rotate, "--json"], { credential: "new" });
  expect(seen[0]).toMatchObject({
    call: "POST /v1/operator/sites/desk/credentials",
    body: { role: "trainer" },
  });
  expect(JSON.parse(lines[0] ?? "")).toEqual({ site: "desk", role: "trainer", credential: "new" });
  expect((await run(rotate, { credential: "new" })).lines[0]).toBe("trainer's credential: new");
  const overlapping = await run([...rotate, "--overlap-hours", "24"], { credential: "new" });
  expect(overlapping.seen[0]?.body).toEqual({ role: "trainer", overlapHours: 24 });
  expect(overlapping.lines[1]).toBe("The one before it works for 24 h.");
  expect(await refused("show", "desk", "--overlap-hours", "1")).toBe(
    "sites show takes no --overlap-hours",
  );
});

test("metrics are JSON, and the credential of a site's server is made by rotating it", async () => {
  const metrics = { booked: { type: "boolean" as const, better: "higher" as const } };
  const text = `metrics=${JSON.stringify(metrics)}`;
  const { seen, lines } = await run(
    ["sites", "set", "desk", text],
    desk({ settings: { metrics }, stored: ["metrics"] }),
  );
  expect(seen[0]?.body).toEqual({ settings: { metrics } });
  expect(lines).toContain(`  ${text}`);
  const rotated = await run(["sites", "rotate", "desk", "outcomes"], { credential: "new" });
  expect(rotated.seen[0]?.body).toEqual({ role: "outcomes" });
  expect(rotated.lines[0]).toBe("credential for outcomes: new");
  const ofDefault = await run(["sites", "rotate", "default", "outcomes"], { credential: "new" });
  expect(ofDefault.lines[1]).toBe("An earlier one no longer works.");
});

test("mistakes are refused before anything is sent", async () => {
  expect(await refused("add")).toBe("name the site: sites add <site>");
  expect(await refused("list", "desk")).toBe("sites list takes no site; try: sites show desk");
  expect(await refused("show", "desk", "x")).toBe('sites show takes no "x"');
  expect(await refused("disable", "desk", "--name", "x")).toBe("sites disable takes no --name");
  expect(await refused("set", "desk")).toContain("name settings to change, such as");
  expect(await refused("set", "desk", "group=4")).toContain(
    'a site has no setting "group"; it has',
  );
  expect(await refused("set", "desk", "toString=4")).toContain('no setting "toString"');
  expect(await refused("set", "desk", "groupSize")).toContain("groupSize needs a value");
  expect(await refused("set", "desk", "groupSize=1", "groupSize=2")).toBe(
    "groupSize is given twice",
  );
  expect(await refused("set", "desk", "groupSize=four")).toContain("groupSize: Invalid input");
  expect(await refused("set", "desk", "groupSize=0")).toContain("groupSize: Too small");
  expect(await refused("set", "desk", "canaryShare=2")).toContain("canaryShare: Too big");
  expect(await refused("set", "desk", "siteKeys=a,,b")).toContain("siteKeys: Too small");
  expect(await refused("set", "desk", "metrics={booked")).toContain("metrics: Invalid input");
  expect(await refused("set", "desk", 'metrics={"a":{"type":"text"}}')).toContain("metrics: ");
  expect(await refused("rotate", "desk", "owner")).toContain("name one credential");
});

test("the edge's refusal keeps its code", async () => {
  const body = { error: { code: "CONFLICT", message: "the site default cannot be disabled" } };
  const call = run(["sites", "disable", "default"], body, 409);
  await expect(call).rejects.toMatchObject({ code: "CONFLICT" });
  const missing = { error: { code: "NOT_FOUND", message: "no such site" } };
  await expect(run(["sites", "show", "x"], missing, 404)).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("commands for an operator take the site that they are about", async () => {
  const control = { environment: "shop", frozen: null, killed: null };
  const { seen } = await run(["control", "--site", "desk"], control);
  expect(seen[0]).toMatchObject({ call: "GET /v1/operator/control", site: "desk" });
});
