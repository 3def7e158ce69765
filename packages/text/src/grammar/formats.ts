/**
 * String formats as patterns. Every text that a pattern matches is valid, but not every valid text is matched (a
 * day is at most the 28th). Source: JSON Schema 2020-12 validation, section 7.3.
 */

const DATE = "[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])";
const TIME =
  "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,6})?(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])";
const LABEL = "[a-z0-9]{1,12}(?:-[a-z0-9]{1,12})?";
/** Ends in at least two letters, so never in a number. */
const HOST = `${LABEL}(?:\\.${LABEL}){0,2}\\.[a-z]{2,10}`;
const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
/** The query requires a path, since some URL parsers accept it only then. */
const PATH = "(?:(?:/[A-Za-z0-9._~-]{0,40}){1,8}(?:\\?[A-Za-z0-9._~=&-]{0,80})?)?";

/** Patterns that match whole texts, by format. */
export const FORMAT_PATTERNS: { readonly [format: string]: string } = {
  date: DATE,
  time: TIME,
  "date-time": `${DATE}T${TIME}`,
  duration: "P(?:[0-9]{1,4}D|[0-9]{1,4}W|T[0-9]{1,4}H(?:[0-9]{1,2}M)?|T[0-9]{1,4}M)",
  email: `[a-z0-9]{1,15}(?:[._-][a-z0-9]{1,15}){0,3}@${HOST}`,
  hostname: HOST,
  ipv4: `${BYTE}(?:\\.${BYTE}){3}`,
  ipv6: "[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}",
  uuid: "[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
  uri: `https?://${HOST}${PATH}`,
  url: `https?://${HOST}${PATH}`,
  "uri-reference": `https?://${HOST}${PATH}`,
};
