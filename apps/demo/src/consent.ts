/** What visitors agree to. A change of the text needs another version. */
export const CONSENT = { version: "2026-11-23" } as const;
