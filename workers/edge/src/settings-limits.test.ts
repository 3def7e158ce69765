/** Settings without a value have the default that the reference page states, and each refuses what is below its least. */
import { expect, test } from "vitest";
import page from "../../../docs/reference/edge-settings.md?raw";
import { readSettings, type Settings } from "./settings.ts";

const REQUIRED = {
  SITE_KEYS: "a",
  SESSION_SECRET: "s".repeat(32),
  TRAINER_CREDENTIAL: "t".repeat(16),
  OPERATOR_CREDENTIAL: "o".repeat(16),
  ALLOWED_ORIGINS: "*",
};
const read = (more: object): Settings => readSettings({ ...REQUIRED, ...more });

/** A value as the page writes it: `none`, `empty`, `off`, 1,000,000, 8 MiB. */
function valueOf(text: string): unknown {
  if (text === "none") return [];
  if (text === "only `thumb`") return ["thumb"];
  if (text === "empty") return "";
  if (text === "off") return null;
  if (text === "`{}`") return {};
  const [, number, unit] = /^([\d.,]+)( MiB)?$/.exec(text) ?? [];
  if (number === undefined) return text.replaceAll("`", "");
  return Number(number.replaceAll(",", "")) * (unit === undefined ? 1 : 1024 * 1024);
}

const rows = [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| /gm)].map(
  ([, name = "", initial = ""]) => [name as keyof Settings, valueOf(initial.trim())] as const,
);

test("the page has every setting that is no secret", () => {
  const secrets = [...Object.keys(REQUIRED), "SESSION_SECRET_PREVIOUS"];
  const settings = Object.keys(read({})).filter((name) => !secrets.includes(name));
  expect(rows.map(([name]) => name).toSorted()).toEqual(settings.toSorted());
});

test.each(rows)("%s has the default on the page", (name, initial) => {
  expect(read({})[name]).toEqual(initial);
});

/** Settings in which 0 means no limit, or is a number like others. */
const FROM_ZERO = [
  "TASK_SEED_START",
  "MAX_UNFINISHED_GROUPS",
  "GROUP_SLOTS_PER_VISITOR",
  "GROUP_SLOTS_PER_PREFIX",
  "UNANSWERED_PER_VISITOR",
  "UNANSWERED_PER_PREFIX",
  "RATE_LIMIT_PER_MINUTE",
  "PREFIX_RATE_LIMIT_PER_MINUTE",
  "SESSIONS_PER_MINUTE",
  "OUTCOMES_PER_MINUTE",
  "FEEDBACK_WAIT_SECONDS",
  "GROUP_BYTES",
  "VISITOR_BYTES_PER_HOUR",
  "PREFIX_BYTES_PER_HOUR",
  "RETENTION_DAYS",
  "GATE_RETENTION_TASKS",
  "GATE_PROBE_TASKS",
] as const;
const FROM_ONE = [
  "GROUP_SIZE",
  "GROUP_DEADLINE_SECONDS",
  "VISITOR_TTL_DAYS",
  "CONSENT_DAYS",
  "GATE_MIN_TASKS",
  "MAX_LEASE_FAILURES",
  "STALE_ROW_SECONDS",
] as const;
const SHARES = [
  "CANARY_SHARE",
  "GATE_MARGIN",
  "GATE_SIGNIFICANCE",
  "GATE_RETENTION_MARGIN",
] as const;

test.each([
  ...FROM_ZERO.map((name) => [name, "0", "-1"] as const),
  ...FROM_ONE.map((name) => [name, "1", "0"] as const),
  ...SHARES.flatMap((name) => [[name, "0", "-0.01"] as const, [name, "1", "1.01"] as const]),
  ["SESSION_TTL_SECONDS", "30", "29"] as const,
  ["GROUP_SIZE", "3", "2.5"] as const,
])("%s may be %s, and not %s", (name, good, bad) => {
  expect(read({ [name]: good })[name]).toBe(Number(good));
  expect(() => read({ [name]: bad })).toThrow(
    expect.objectContaining({
      code: "INTERNAL",
      message: expect.stringContaining(name) as string,
    }) as object,
  );
});

test("secrets have a least length and differ from each other", () => {
  const refused = (more: object, name: string): void => {
    expect(() => read(more)).toThrow(name);
  };
  refused({ SESSION_SECRET: "s".repeat(31) }, "SESSION_SECRET");
  refused({ SESSION_SECRET_PREVIOUS: "p".repeat(31) }, "SESSION_SECRET_PREVIOUS");
  refused({ SESSION_SECRET_PREVIOUS: REQUIRED.SESSION_SECRET }, "must differ from SESSION_SECRET");
  refused({ TRAINER_CREDENTIAL: "t".repeat(15) }, "TRAINER_CREDENTIAL");
  refused({ OPERATOR_CREDENTIAL: "o".repeat(15) }, "OPERATOR_CREDENTIAL");
  refused(
    { OPERATOR_CREDENTIAL: REQUIRED.TRAINER_CREDENTIAL },
    "must differ from TRAINER_CREDENTIAL",
  );
  refused(
    { OPERATOR_CREDENTIAL_PREVIOUS: REQUIRED.TRAINER_CREDENTIAL },
    "must differ from TRAINER_CREDENTIAL",
  );
  refused({ TRAINER_CREDENTIAL_PREVIOUS: "t".repeat(15) }, "TRAINER_CREDENTIAL_PREVIOUS");
  refused({ SITE_KEYS: " , " }, "SITE_KEYS");
  expect(read({ SESSION_SECRET_PREVIOUS: "p".repeat(32) }).SESSION_SECRET_PREVIOUS).toHaveLength(
    32,
  );
});
