/** Writes lines of several processes to one terminal, each prefixed with the name of its process. */

const COLORS: { readonly [name: string]: number } = {
  edge: 36,
  trainer: 33,
  demo: 35,
  practice: 35,
  dashboard: 34,
};

/** Writes one line of the named process. */
export type LineWriter = (name: string, line: string) => void;

/** Writes to standard output, with colors on a terminal. Empty lines are skipped. */
export function createLineWriter(): LineWriter {
  return (name, line) => {
    if (line.trim() === "") return;
    const color = process.stdout.isTTY ? COLORS[name] : undefined;
    const head = name.padEnd(9);
    process.stdout.write(
      `${color === undefined ? head : `\u001b[${color}m${head}\u001b[0m`} ${line}\n`,
    );
  };
}
