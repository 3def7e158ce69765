/**
 * Checks data that a page receives from the edge or reads from the browser's storage. It uses JSON Schemas that are
 * generated from the zod schemas of `protocol`, because pages need the validator for tools anyway and zod for nothing
 * else.
 */
import { Validator } from "@cfworker/json-schema";
import { WaggleError } from "@waggle/protocol";
import type {
  AssignmentResponse,
  Consent,
  DeletionResponse,
  ErrorBody,
  Feedback,
  Outcome,
  PolicyManifest,
  SessionResponse,
  UploadResponse,
} from "@waggle/protocol";
import { PAGE_SCHEMAS } from "./page-schemas.ts";

type PageData = {
  AssignmentResponse: AssignmentResponse;
  Consent: Consent;
  DeletionResponse: DeletionResponse;
  ErrorBody: ErrorBody;
  Feedback: Feedback;
  Outcome: Outcome;
  PolicyManifest: PolicyManifest;
  SessionResponse: SessionResponse;
  UploadResponse: UploadResponse;
};

const validators = new Map<keyof PageData, Validator>();

/** The last violation is the most specific: outer keywords fail because inner ones do. `null` if there is none. */
function violationOf(name: keyof PageData, value: unknown): string | null {
  try {
    const { valid, errors } = validatorOf(name).validate(value);
    if (valid) return null;
    const { instanceLocation, error } = errors.at(-1) ?? {};
    return `${instanceLocation}: ${error}`;
  } catch (error) {
    return String(error); // the value has a member that JSON does not have
  }
}

function validatorOf(name: keyof PageData): Validator {
  let validator = validators.get(name);
  if (validator === undefined) {
    // The validator writes into the schema, so it gets a copy.
    validator = new Validator(structuredClone(PAGE_SCHEMAS[name]), "2020-12");
    validators.set(name, validator);
  }
  return validator;
}

/** The value if it matches the schema, otherwise `null`. */
export function readPageData<Name extends keyof PageData>(
  name: Name,
  value: unknown,
): PageData[Name] | null {
  return violationOf(name, value) === null ? (value as PageData[Name]) : null;
}

/** The value. @throws WaggleError `SCHEMA_INVALID` if it does not match the schema. */
export function requirePageData<Name extends keyof PageData>(
  name: Name,
  value: unknown,
): PageData[Name] {
  const violation = violationOf(name, value);
  if (violation === null) return value as PageData[Name];
  throw new WaggleError(
    "SCHEMA_INVALID",
    `the edge's answer is not a ${name} (${violation.slice(0, 300)}); check the edge's address and its release`,
  );
}
