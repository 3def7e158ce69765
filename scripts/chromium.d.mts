/** Flags that give Chromium a software WebGPU adapter. */
export const CHROMIUM_FLAGS: string[];
/** Path of an installed Chromium or Chrome. */
export function findChromium(): string | undefined;
/** Path of Chromium; the default path if there is none. */
export function chromiumPath(): string;
