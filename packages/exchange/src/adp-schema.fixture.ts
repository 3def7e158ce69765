/**
 * The Agent Data Protocol's own checks, for tests: neulab/agent-data-protocol, `schema/trajectory.py` at
 * 0dc087521a121c096a27a010f4007c9b855a1474 (schema version 1.5.0); `schema/action/*.py` and `schema/observation/*.py`
 * at 09e778b, ae7c519c and 26c97370, the nearest commits that could be read. Models forbid unknown fields.
 */
import { z } from "zod";

const VERSIONS = ["1.5.0", "1.4.0", "1.3.0", "1.2.0", "1.1.0", "1.0.0"] as const;
const LANGUAGES = ["bash", "python", "javascript", "sql"] as const; // a few of over 300

const link = { tool_call_id: z.string().nullish(), reward: z.number().nullish() };
const action = {
  ...link,
  reasoning_content: z.string().nullish(),
  description: z.string().nullish(),
};
const source = z.enum(["user", "agent", "environment"]);

const Item = z.discriminatedUnion("class_", [
  z.strictObject({
    class_: z.literal("api_action"),
    function: z.string(),
    kwargs: z.record(z.string(), z.unknown()),
    ...action,
  }),
  z.strictObject({
    class_: z.literal("code_action"),
    language: z.enum(LANGUAGES),
    content: z.string(),
    ...action,
  }),
  z.strictObject({ class_: z.literal("message_action"), content: z.string(), ...action }),
  z.strictObject({
    class_: z.literal("text_observation"),
    content: z.string(),
    name: z.string().nullish(),
    source,
    ...link,
  }),
]);

const Trajectory = z.strictObject({
  schema_version: z.enum(VERSIONS),
  id: z.string(),
  content: z.array(Item),
  available_custom_tools: z.array(z.string()).nullish(),
  available_code_languages: z.array(z.enum(LANGUAGES)).nullish(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** What upstream's models would refuse, empty if nothing. */
export function adpErrors(value: unknown): string[] {
  const { data, error } = Trajectory.safeParse(value);
  return data ? linkErrors(data.content) : (error?.issues ?? []).map(({ message }) => message);
}

/** trajectory.py, validate_tool_call_links. */
function linkErrors(content: readonly z.infer<typeof Item>[]): string[] {
  const open = new Set<string>();
  const answered = new Set<string>();
  const errors: string[] = [];
  content.forEach((item, index) => {
    const id = item.tool_call_id ?? null;
    const isCall = item.class_ === "api_action" || item.class_ === "code_action";
    const isResultNext = content[index + 1]?.class_ === "text_observation";
    if (isCall && isResultNext && id === null)
      errors.push(`${index}: a call with a result has no id`);
    if (id === null) return;
    if (item.class_ === "message_action") errors.push(`${index}: a message has an id`);
    else if (isCall) {
      if (open.has(id)) errors.push(`${index}: the id ${id} is used twice`);
      open.add(id);
    } else {
      if (!open.has(id)) errors.push(`${index}: the id ${id} has no call`);
      if (answered.has(id)) errors.push(`${index}: the id ${id} has two results`);
      answered.add(id);
    }
  });
  return [
    ...errors,
    ...[...open].filter((id) => !answered.has(id)).map((id) => `${id}: no result`),
  ];
}

/** An example of every class in one trajectory, written after the schema's files. */
export const ADP_EXAMPLE = {
  schema_version: "1.5.0",
  id: "example",
  content: [
    { class_: "text_observation", content: "How many files are here?", source: "user" },
    {
      class_: "code_action",
      language: "bash",
      content: "ls | wc -l",
      description: "I count them.",
      reasoning_content: "ls lists files",
      reward: 0,
      tool_call_id: "call_000001",
    },
    {
      class_: "text_observation",
      content: "3",
      name: null,
      source: "environment",
      tool_call_id: "call_000001",
    },
    { class_: "api_action", function: "sum", kwargs: { a: 1 }, tool_call_id: "call_000002" },
    { class_: "api_action", function: "sum", kwargs: { a: 2 }, tool_call_id: "call_000003" },
    {
      class_: "text_observation",
      content: "two",
      source: "environment",
      tool_call_id: "call_000003",
    },
    {
      class_: "text_observation",
      content: "one",
      source: "environment",
      tool_call_id: "call_000002",
    },
    { class_: "message_action", content: "Three.", description: null, reward: 1 },
  ],
  available_code_languages: ["bash"],
  details: { dataset: "example" },
} as const;
