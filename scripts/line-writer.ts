/** Lines of several processes on one terminal, each behind the name of its process. */

const COLORS: { readonly [name: string]: number } = {
  edge: 36,
  trainer: 33,
  demo: 35,
  dashboard: 34,
};

export type LineWriter = (name: string, line: string) => void;

/** Writes to standard output, in colors on a terminal. Empty lines are left out. */
export function createLineWriter(): LineWriter {
  return (name, line) => {
    if (line.trim() === "") return;
    const color = process.stdout.isTTY ? COLORS[name] : undefined;
    const head = name.padEnd(9);
    console.log(`${color === undefined ? head : `\u001b[${color}m${head}\u001b[0m`} ${line}`);
  };
}
