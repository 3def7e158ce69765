/** The text of an env file, as Wrangler and Node read it. */

/** One line per value. Within double quotes, a backslash before a quote would stay, so JSON is in single quotes. */
export function envFileText(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join("");
}

function quoted(value: string): string {
  return value.includes('"') && !value.includes("'") ? `'${value}'` : JSON.stringify(value);
}
