/** The fields of a site, with what each may be. The types say the same; this is for configs that no one type-checked. */
import {
  CollectionLevel,
  isObject,
  ReleaseSetting,
  SiteId,
  SiteMetrics,
  THUMB,
} from "@waggle/protocol";
import { closest, distance } from "fastest-levenshtein";
import { PANEL_TEXTS } from "../panel-text.ts";
import { LANGUAGES, LIMITS } from "../site-definition.ts";
import { type FieldPath, importText } from "./source-file.ts";

/** A mistake, where it is, and what to write instead. */
export type Mistake = { readonly path: FieldPath; readonly message: string };

/**
 * A value's check, the entries of a list, the fields of an object, or the members of an object that the author names. If
 * several are given, the value may match any of them.
 */
type Field = {
  readonly required?: boolean;
  /** What to write, after "; ". */
  readonly instead: string;
  readonly accepts?: (value: unknown) => boolean;
  readonly fields?: Fields;
  /** Each entry of a list. */
  readonly entries?: Field;
  readonly members?: { readonly name: Field; readonly value: Field; readonly most: number };
};
type Fields = { readonly [name: string]: Field };

const text = (instead: string): Field => ({ instead, accepts: isText });
const code = (file: string): Field => ({
  instead: `write ${importText(file)}, so that only the part that runs it loads it`,
  accepts: (value) => typeof value === "function",
});
/** `VisitorText`. Whether the site's languages are in it is seen in `language-check.ts`. */
const visitorText = (instead: string): Field => ({
  ...text(`${instead}, or as an object with a text for each language`),
  fields: Object.fromEntries(LANGUAGES.map((language) => [language, text(instead)])),
});
const suggestions = 'write a list of requests, such as ["Find a mug."]';
const requests: Field = {
  instead: suggestions,
  entries: text('write a request as a text, such as "Find a mug."'),
};
const count = (most: number): Field => ({
  instead: `write a whole number from 1 to ${most}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most,
});
const share: Field = {
  instead: "write a number from 0 to 1",
  accepts: (value) => typeof value === "number" && value >= 0 && value <= 1,
};
const between: Field = {
  instead: "write a number above 0 and below 1",
  accepts: (value) => typeof value === "number" && value > 0 && value < 1,
};
const flag: Field = {
  instead: "write true or false",
  accepts: (value) => typeof value === "boolean",
};
const atLeastZero: Field = {
  instead: "write a number from 0, such as 0.1; 0 is off",
  accepts: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
};
const address = (instead: string): Field => ({
  instead,
  accepts: (value) => isText(value) && /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
});
const oneOf = (...choices: readonly string[]): Field => ({
  instead: `write ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}`,
  accepts: (value) => choices.some((choice) => choice === value),
});
const LIMIT = "write a whole number; 0 is no limit";
const group = (fields: Fields): Field => ({
  instead: `write an object with ${Object.keys(fields).join(", ")}`,
  fields,
});

const SITE: Field = group({
  id: {
    required: true,
    instead: 'write 1 to 39 lower-case letters, digits and hyphens, such as "reading-room"',
    accepts: (value) => SiteId.safeParse(value).success,
  },
  name: { ...text('write what people read, such as "Reading room"'), required: true },
  prompt: { ...text("write the system message as a text"), required: true },
  tools: code("./src/tools.ts"),
  edgeTools: code("./edge/tools.ts"),
  mcpServers: {
    instead: 'write a list of { url: "https://tools.example.org/mcp", tools: ["search"] }',
    entries: group({
      url: {
        ...address('write the address of the server, such as "https://tools.example.org/mcp"'),
        required: true,
      },
      tools: {
        required: true,
        instead: 'write the names of the tools that the model can call, such as ["search"]',
        entries: {
          instead: "write the name of a tool: letters, digits, _ and -",
          accepts: (value) => typeof value === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(value),
        },
      },
    }),
  },
  confirmBelow: share,
  environment: code("./practice/environment.ts"),
  retentionEnvironment: code("./practice/everyday.ts"),
  reward: code("./practice/reward.ts"),
  edge: group({
    url: address('write the address of the edge, such as "https://edge.example.org"'),
    siteKey: text("write the site's public key"),
    publisher: group({
      keys: {
        required: true,
        instead: "write a list of public keys that waggle publisher-key prints",
        entries: {
          instead: "write a public key as waggle publisher-key prints it: 43 characters",
          accepts: (value) => typeof value === "string" && /^[A-Za-z0-9_-]{43}$/.test(value),
        },
      },
      site: {
        instead: 'write the id of the site at its edge, such as "default"',
        accepts: (value) => SiteId.safeParse(value).success,
      },
    }),
    origins: {
      instead: 'write a list of origins, such as ["https://desk.example"], or ["*"]',
      entries: {
        instead: 'write an origin without a path, such as "https://desk.example"',
        accepts: isOrigin,
      },
    },
    limits: group(
      Object.fromEntries(LIMITS.map((name) => [name, { instead: LIMIT, accepts: isLimit }])),
    ),
  }),
  model: text('write the folder of a model, such as "./model"'),
  constrainToolCalls: flag,
  base: group({
    from: text('write "default", or the folder of a model that train-base made, such as "./model"'),
    steps: count(1_000_000),
    mistakes: share,
    habits: share,
  }),
  training: group({
    recipe: text("write the name of a recipe; waggle train-edge --list shows them"),
    settings: {
      instead: "write an object with the recipe's settings",
      accepts: (value) => isObject(value) && Object.values(value).every(isSetting),
    },
    groupsPerStep: count(10_000),
    epochs: count(1000),
    publishEvery: count(1_000_000),
    klCoefficient: atLeastZero,
    baseDrift: atLeastZero,
    evaluationTasks: count(100_000),
    feedbackWaitSeconds: count(31_536_000),
    judge: group({
      model: text("write the name of a model on the judge's server"),
      votes: count(25),
      messages: flag,
      requestTrials: {
        instead: "write a whole number from 2 to 32",
        accepts: (value) => Number.isInteger(value) && Number(value) >= 2 && Number(value) <= 32,
      },
      readOnlyTools: {
        instead: 'write a list of tools that change nothing, such as ["search"]',
        entries: text('write the name of a tool, such as "search"'),
      },
      comparisons: count(1000),
    }),
  }),
  gate: group({
    minTasks: count(100_000),
    margin: share,
    significance: share,
    retentionTasks: count(1000),
    retentionMargin: share,
    probeTasks: {
      instead: "write a whole number from 0 to 100000; 0 is off",
      accepts: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100_000,
    },
    canaryShare: share,
    release: group({
      metric: { ...text(`write ${THUMB}, or the name of one of the metrics`), required: true },
      guardrails: {
        instead: 'write a list of metrics, such as ["booked"]',
        entries: text("write the name of a metric"),
      },
      responseRate: {
        instead: "write the share of requests that give a value, above 0 and up to 1",
        accepts: (value) => isRelease({ responseRate: value }),
      },
      horizon: {
        instead: "write a number of requests, at least 100",
        accepts: (value) => isRelease({ horizon: value }),
      },
      stages: {
        instead: "write a list of { share: 0.1, exposure: 0.05 }",
        entries: group({
          share: { ...between, required: true },
          exposure: {
            instead: "write a number above 0, up to 1",
            required: true,
            accepts: (value) => typeof value === "number" && value > 0 && value <= 1,
          },
        }),
      },
    }),
  }),
  consent: group({
    version: { ...text('write a text such as "2026-11-24"'), required: true },
    title: visitorText("write the question as a text"),
    text: visitorText("write the explanation as a text"),
    expiresAfterDays: count(3650),
    pseudonymDays: count(3650),
    choices: flag,
    collect: oneOf(...CollectionLevel.options),
    shareCorrections: flag,
    shareMessages: flag,
  }),
  panel: group({
    texts: group(
      Object.fromEntries(PANEL_TEXTS.map((name) => [name, visitorText("write the text")])),
    ),
    suggestions: {
      ...requests,
      instead: `${suggestions}, or an object with a list for each language`,
      fields: Object.fromEntries(LANGUAGES.map((language) => [language, requests])),
    },
  }),
  redaction: {
    instead: 'write a list of { type: "CUSTOMER_ID", pattern: /…/ }',
    entries: group({
      type: {
        required: true,
        instead: "write upper-case letters, digits and _, such as CUSTOMER_ID",
        accepts: (value) => typeof value === "string" && /^[A-Z][A-Z0-9_]{0,39}$/.test(value),
      },
      pattern: {
        required: true,
        instead: "write a regular expression that does not match the empty text",
        accepts: (value) =>
          value instanceof RegExp && !new RegExp(value.source, value.flags).test(""),
      },
    }),
  },
  retention: group({ visitorDays: count(3650), trajectoryDays: count(3650) }),
  metrics: {
    instead: 'write an object such as { booked: { type: "boolean", better: "higher" } }',
    members: {
      most: 32,
      name: {
        instead:
          "name it with 1 to 64 letters, digits, _ and -, beginning with a lower-case letter",
        accepts: (value) => isMetric(String(value), { type: "boolean" }),
      },
      value: group({
        type: { ...oneOf("boolean", "number"), required: true },
        better: { ...oneOf("higher", "lower"), required: true },
        weight: share,
        level: oneOf("turn", "trajectory", "conversation"),
        range: {
          instead: "write two numbers from -1e9 to 1e9, the smaller first, such as [1, 5]",
          accepts: isRange,
        },
      }),
    },
  },
  languages: {
    instead: `write a list of ${LANGUAGES.join(", ")}`,
    entries: {
      instead: `write ${LANGUAGES.join(", ")}`,
      accepts: (value) => LANGUAGES.some((known) => known === value),
    },
  },
});

/** The mistakes of a definition that can be seen without loading its modules. */
export function fieldMistakes(definition: unknown): readonly Mistake[] {
  return mistakesOf(definition, SITE, []);
}

function mistakesOf(value: unknown, field: Field, path: FieldPath): readonly Mistake[] {
  const place = path.length === 0 ? "the site" : nameOf(path);
  const wrong = [{ path, message: `${place} is ${described(value)}; ${field.instead}` }];
  if (field.entries !== undefined && (Array.isArray(value) || field.fields === undefined)) {
    const { entries } = field;
    if (!Array.isArray(value) || value.length === 0) return wrong;
    return value.flatMap((entry, index) => mistakesOf(entry, entries, [...path, index]));
  }
  if (field.accepts?.(value) === true) return [];
  if (field.members !== undefined) return memberMistakes(value, field.members, path, wrong);
  if (field.fields === undefined || !isObject(value) || Array.isArray(value)) return wrong;
  const { fields } = field;
  const unknown = Object.keys(value)
    .filter((name) => !(name in fields))
    .map((name) => ({ path: [...path, name], message: unknownField(name, place, fields) }));
  const known = Object.entries(fields).flatMap(([name, one]) => {
    const given = value[name];
    if (given === undefined && one.required !== true) return [];
    return mistakesOf(given, one, [...path, name]);
  });
  return [...unknown, ...known];
}

/** The mistakes of an object whose members the author names. @param wrong - the mistake if it is none. */
function memberMistakes(
  value: unknown,
  { name, value: member, most }: NonNullable<Field["members"]>,
  path: FieldPath,
  wrong: readonly Mistake[],
): readonly Mistake[] {
  if (!isObject(value)) return wrong;
  const entries = Object.entries(value);
  if (entries.length > most) {
    const message = `${nameOf(path)} has ${entries.length} members; write at most ${most}`;
    return [{ path, message }];
  }
  return entries.flatMap(([key, one]) => {
    const at = [...path, key];
    if (name.accepts?.(key) === true) return mistakesOf(one, member, at);
    return [
      { path: at, message: `${nameOf(path)} has the name ${described(key)}; ${name.instead}` },
    ];
  });
}

function unknownField(name: string, place: string, fields: Fields): string {
  const names = Object.keys(fields);
  const shown = name.slice(0, 64);
  const nearest = closest(shown, names);
  const isTypo = distance(shown, nearest) <= shown.length / 2;
  const guess = isTypo ? `; did you mean ${nearest}? The` : ". The";
  return `${place} has no field ${shown}${guess} fields are ${names.join(", ")}`;
}

/** `redaction[0].type`. */
function nameOf(path: FieldPath): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .slice(1);
}

function described(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value.slice(0, 64));
  if (value instanceof Promise) {
    // The refusal is the error to show, not what becomes of the promise.
    value.catch(() => undefined);
    return "a promise";
  }
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value instanceof RegExp) return value.toString();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "an object";
}

/** `*` is every origin. */
function isOrigin(value: unknown): boolean {
  return value === "*" || (typeof value === "string" && URL.parse(value)?.origin === value);
}

function isRange(value: unknown): boolean {
  return isMetric("metric", { type: "number", range: value });
}

function isMetric(name: string, metric: object): boolean {
  return SiteMetrics.safeParse({ [name]: { better: "higher", ...metric } }).success;
}

function isRelease(setting: object): boolean {
  return ReleaseSetting.safeParse({ metric: THUMB, ...setting }).success;
}

function isLimit(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isSetting(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
