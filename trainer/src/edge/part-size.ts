/** Size of what is sent to an edge in one request. Larger files are sent in parts. */

/** A connection of 10 Mbit/s sends a part in half a minute. Larger objects have no compressed form. */
export const PART_BYTES: number = 32 * 1024 * 1024;
