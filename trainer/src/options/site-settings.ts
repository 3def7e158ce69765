/**
 * Settings of a site on a command line: `groupSize=4`; lists as `siteKeys=a,b`; metrics and releases as JSON; `groupSize=`
 * removes the setting.
 */
import { isObject, SiteSettings, WaggleError } from "@waggle/protocol";

/** A setting and its value; `null` removes it. */
export type SiteSettingChanges = { [name in keyof SiteSettings]?: SiteSettings[name] | null };

const SCHEMAS = SiteSettings.shape;

const isSetting = (name: string): name is keyof SiteSettings => Object.hasOwn(SCHEMAS, name);

/** @throws WaggleError `INVALID_ARGUMENT` for a name or value that the edge would refuse. */
export function parseSiteSettings(texts: readonly string[]): SiteSettingChanges {
  const changes: { [name: string]: unknown } = {};
  for (const text of texts) {
    const at = text.indexOf("=");
    const name = at < 0 ? text : text.slice(0, at);
    if (!isSetting(name)) {
      const known = Object.keys(SCHEMAS).join(", ");
      throw invalid(`a site has no setting "${name.slice(0, 40)}"; it has ${known}`);
    }
    if (at < 0) throw invalid(`${name} needs a value: ${name}=<value>, or ${name}= to remove it`);
    if (Object.hasOwn(changes, name)) throw invalid(`${name} is given twice`);
    const value = text.slice(at + 1);
    changes[name] = value === "" ? null : parsed(name, value);
  }
  return changes;
}

/** Settings as `parseSiteSettings` reads them. */
export function siteSettingTexts(settings: SiteSettings): string[] {
  return Object.entries(settings).map(
    ([name, value]) => `${name}=${isObject(value) ? JSON.stringify(value) : String(value)}`,
  );
}

function parsed(name: keyof SiteSettings, text: string): unknown {
  const schema = SCHEMAS[name];
  const result = schema.safeParse(read(schema.unwrap().type, text));
  if (result.success) return result.data;
  // Site keys are credentials of a kind, so the value is not repeated.
  throw invalid(`${name}: ${result.error.issues[0]?.message}`);
}

function read(type: string, text: string): unknown {
  if (type === "record" || type === "object") return parsedJson(text);
  if (type === "array") return text.split(",").map((part) => part.trim());
  return type === "number" && text.trim() !== "" ? Number(text) : text;
}

/** `null`, which no setting accepts, for a text that is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function invalid(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
