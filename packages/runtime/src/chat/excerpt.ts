/** A value of a request, as an error message shows it: JSON of at most 80 characters. */
export function excerpt(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
