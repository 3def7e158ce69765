/** Formats numbers and times. A missing number is "–". */

const NONE = "–";

/** A whole number with digit groups. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}

/** `0.625` as `62.5 %`, with a space that does not break. */
export function formatPercent(value: number | null, digits = 1): string {
  return value === null ? NONE : `${(value * 100).toFixed(digits)}\u00a0%`;
}

/** Up to `digits` significant digits; small numbers as powers of ten. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(Math.max(0, digits - 2));
  return String(Number(value.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1))));
}

/** A number with its sign: `+0.42`. */
export function formatSigned(value: number | null): string {
  if (value === null) return NONE;
  return value > 0 ? `+${formatNumber(value)}` : formatNumber(value).replace("-", "−");
}

/** A size with its decimal unit. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes}\u00a0B`;
  const units = ["KB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${formatNumber(bytes / 1024 ** power)}\u00a0${units[power - 1]}`;
}

/** Time between an ISO date and `now` (ms): `12 s`, `5 min`, `3 h`, `2 d`. */
export function formatAgo(iso: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** The first characters of a hash or id. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
