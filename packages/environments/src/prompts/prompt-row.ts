/**
 * Reads rows of a prompt dataset under the column names that other trainers use.
 *
 * Source: TRL's prompt-only and prompt-completion datasets (`prompt`, `completion`), verl's RLHF rows
 * (`prompt` as messages, `reward_model.ground_truth`), verifiers' rows (`question`, `answer`).
 */
import { isObject, WaggleError } from "@waggle/protocol";

/** All columns of a row, for reward functions. */
export type PromptColumns = { readonly [column: string]: unknown };

/** A row as a task. */
export type PromptRow = {
  readonly system: string;
  readonly request: string;
  /** The correct answer, if the dataset has one. */
  readonly answer: string | null;
  /** `null` if the dataset does not declare splits. */
  readonly split: "train" | "heldOut" | null;
  readonly columns: PromptColumns;
};

const REQUESTS = ["prompt", "question", "messages"];
const ANSWERS = ["answer", "solution", "completion", "ground_truth"];
const HELD_OUT: ReadonlySet<string> = new Set(["heldOut", "held-out", "test", "validation", "dev"]);

/**
 * Reads one row.
 *
 * @param place - identifies the row in errors, such as `prompts.jsonl, row 3`.
 * @throws WaggleError `INVALID_ARGUMENT` for a row without a prompt, or if the prompt is not a single user message
 *   with an optional system message.
 */
export function promptRow(value: unknown, place: string): PromptRow {
  if (!isObject(value)) {
    throw refusal(
      place,
      `is ${value === null ? "null" : typeof value}; each row must be an object`,
    );
  }
  const column = REQUESTS.find((name) => value[name] !== undefined);
  if (column === undefined) {
    const names = Object.keys(value).slice(0, 10).join(", ");
    throw refusal(
      place,
      `has the columns ${names || "(none)"}; one of ${REQUESTS.join(", ")} is required`,
    );
  }
  const prompt = readPrompt(value[column], place, column);
  const { system } = value;
  return {
    system: typeof system === "string" ? system : prompt.system,
    request: prompt.request,
    answer: answerOf(value),
    split: splitOf(value["split"], place),
    columns: value,
  };
}

function readPrompt(
  prompt: unknown,
  place: string,
  column: string,
): Pick<PromptRow, "system" | "request"> {
  if (typeof prompt === "string" && prompt.trim() !== "") return { system: "", request: prompt };
  if (!Array.isArray(prompt)) {
    throw refusal(place, `has a ${column} that is neither a text nor a list of messages`);
  }
  const said = prompt.map((message: unknown) => {
    const { role, content } = isObject(message) ? message : {};
    if (typeof content === "string") return { role: String(role), content };
    throw refusal(place, `has a message in ${column} without text as its content`);
  });
  const system = said.filter(({ role }) => role === "system").map(({ content }) => content);
  const others = said.filter(({ role }) => role !== "system");
  const [request] = others;
  if (request === undefined || others.length > 1 || request.role !== "user") {
    const roles = said.map(({ role }) => role).join(", ");
    throw refusal(
      place,
      `has the messages ${roles || "(none)"}; a prompt has one user message and optionally a system message before it`,
    );
  }
  return { system: system.join("\n"), request: request.content };
}

function answerOf(row: PromptColumns): string | null {
  const { reward_model: verl } = row;
  const found = ANSWERS.map((name) => row[name]).find((value) => value !== undefined);
  const answer = found ?? (isObject(verl) ? verl["ground_truth"] : undefined);
  if (typeof answer === "string") return answer;
  return typeof answer === "number" || typeof answer === "boolean" ? String(answer) : null;
}

function splitOf(split: unknown, place: string): PromptRow["split"] {
  if (split === undefined || split === null) return null;
  if (split === "train") return "train";
  if (typeof split === "string" && HELD_OUT.has(split)) return "heldOut";
  throw refusal(
    place,
    `has the split ${JSON.stringify(split)?.slice(0, 40)}; use train, test, validation or heldOut`,
  );
}

function refusal(place: string, problem: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", `${place} ${problem}`);
}
