/** Amounts of data in the units of a language. */

/** A function that writes a number of bytes as `1.4 MB`, or `1,4 Mo` in French; no decimals below 1 MB. */
export function sizeIn(language: string): (bytes: number) => string {
  return (bytes) => {
    const [unit, size, digits] =
      bytes < 1000
        ? (["byte", 1, 0] as const)
        : bytes < 1_000_000
          ? (["kilobyte", 1000, 0] as const)
          : (["megabyte", 1_000_000, 1] as const);
    return (bytes / size).toLocaleString(language, {
      style: "unit",
      unit,
      // The short form of a byte has no plural.
      unitDisplay: unit === "byte" ? "long" : "short",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  };
}
