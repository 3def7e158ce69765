/** What a visitor reads in an entry of "What I sent". */
import { afterEach, expect, test, vi } from "vitest";
import { open, textOf } from "./open-panel.fixture.ts";
import { sentDetail, sentEntry } from "./sent-entry.fixture.ts";

afterEach(() => document.body.replaceChildren());

/** Opens the first entry. */
async function openEntry(attributes: readonly string[], detail = sentDetail()) {
  const panel = await open(attributes);
  const { agent, root, control, settled } = panel;
  Object.assign(agent, { sentDetail: () => Promise.resolve(detail) });
  agent.setSent([sentEntry()]);
  control("What I sent")?.click();
  await settled();
  root.querySelector<HTMLElement>(".entry summary")?.click();
  await expect.poll(() => textOf(root, ".entry .body")).not.toBe("");
  return panel;
}

test("a visitor reads in plain words what was recorded, and sees no JSON, code or version", async () => {
  const { root } = await openEntry([]);
  const rows = Array.from(root.querySelectorAll(".recorded > li"), (row) => row.textContent);
  expect(rows).toEqual([
    "You: a mug for [EMAIL_1]",
    "Searching the shop (done)Given to the tool: query: mugmax price: 20in stock: yes" +
      "Returned by the tool: name: Red mugtags: red, bluenote: nothingused: no",
    "Adding to the cart (failed)Returned by the tool: sold out",
    "The assistant wrote something that cannot be read.",
    "Assistant: The red mug is sold out.",
  ]);
  expect(textOf(root, ".entry .note")).toMatch(
    /^Recorded on .*1970.*\. Sent to this site on .*1970/,
  );
  expect(textOf(root, ".entry")).not.toMatch(/[{}"]|TOOL_FAILED|policy|callId|segments/);
  expect(root.querySelector(".entry pre")).toBeNull();
});

test("a visitor can save a copy of exactly what is sent", async () => {
  const { control } = await openEntry([]);
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockReturnValue();
  control("Save a copy of exactly what is sent")?.click();
  const [link] = click.mock.contexts as HTMLAnchorElement[];
  click.mockRestore();
  expect(link?.download).toBe("t.json");
  const saved = await fetch(link?.href ?? "");
  expect(await saved.json()).toEqual(sentDetail().trajectory);
});

test("a developer reads the JSON as well", async () => {
  const { root } = await openEntry(["developer"]);
  expect(textOf(root, ".entry .meta")).toMatch(/^policy 7/);
  expect(JSON.parse(textOf(root, ".entry pre"))).toEqual(sentDetail().trajectory);
});

test.each([
  ["a practice task", JSON.stringify([{ kind: "task", text: "Buy" }]), "Practice task: Buy"],
  ["the previous release", 'Request: Buy\nmore\nCall find_mug: {"color":"red"}', "You: Buy\nmore"],
])("tools of %s come from the trajectory", async (_, text, first) => {
  const { root } = await openEntry([], sentDetail(text));
  const rows = Array.from(root.querySelectorAll(".recorded > li"), (row) => row.textContent);
  expect(rows).toEqual([
    first,
    "find mug (done)Given to the tool: color: redReturned by the tool: 3",
  ]);
});
