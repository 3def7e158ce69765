/** Where an edge serves an object, and the name under which a browser stores it. Both come from its hash. */

export function objectKey(hash: string): string {
  return `o-${hash}`;
}

export function objectUrl(baseUrl: string, hash: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/v1/objects/${hash}`;
}
