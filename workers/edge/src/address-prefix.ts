/**
 * The network of a request: the /24 of an IPv4 address, and the /64 or the /48 of an IPv6 address. A subscriber
 * usually owns a whole prefix, so changing the last bits does not evade a limit per prefix. Only a keyed hash
 * leaves this module, so addresses cannot be recovered from stored values.
 */
import { nameInSite } from "./sites/site-name.ts";

/** Prefix of all requests without an address, as under `wrangler dev`. */
const LOCAL = "local";

/** The eight groups of an IPv6 address; `null` for other text. */
function ipv6Groups(address: string): string[] | null {
  if (!URL.canParse(`http://[${address}]/`)) return null;
  // The URL parser writes addresses canonically, so only `::` is left to expand.
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after];
}

/** The last two groups of an IPv4-mapped address (`::ffff:203.0.113.7`) in dotted form. */
function mappedIpv4(groups: readonly string[]): string | null {
  if (groups.slice(0, 5).some((group) => group !== "0") || groups[5] !== "ffff") return null;
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 0xff])
    .join(".");
}

/** @param length - of an IPv6 prefix, in groups of 16 bits. */
function prefixOf(address: string, length: 3 | 4): string {
  const groups = ipv6Groups(address);
  const ipv4 = groups === null ? address : mappedIpv4(groups);
  if (ipv4 === null) return `${groups?.slice(0, length).join(":")}::/${16 * length}`;
  const bytes = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.\d{1,3}$/.exec(ipv4);
  return bytes === null ? LOCAL : `${bytes.slice(1).join(".")}.0/24`;
}

/**
 * A stable identifier of the caller's network, as hex.
 *
 * @param secret - the session secret; another secret changes every identifier.
 * @param site - so that the same network has another identifier in another site.
 */
export async function addressPrefix(
  request: Request,
  secret: string,
  site: string,
): Promise<string> {
  const prefix = prefixOf(addressOf(request), 4);
  return keyedHash(nameInSite(site, `address prefix ${prefix}`), secret);
}

/**
 * A stable identifier of the network that a trajectory came from, as hex; `null` without an address. It is wider
 * than `addressPrefix`, because whoever has an IPv6 /48 has 65,536 prefixes.
 *
 * @param secret - as above.
 * @param site - as above.
 */
export async function networkName(
  request: Request,
  secret: string,
  site: string,
): Promise<string | null> {
  const prefix = prefixOf(addressOf(request), 3);
  return prefix === LOCAL ? null : keyedHash(nameInSite(site, `network ${prefix}`), secret);
}

function addressOf(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? "";
}

async function keyedHash(text: string, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
  ]);
  const name = await crypto.subtle.sign("HMAC", key, encoder.encode(text));
  return [...new Uint8Array(name)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
