/** Installs Debian packages, if this is a Debian machine on which this process may. */
import { spawnSync } from "node:child_process";

const attempt = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: ["ignore", 2, 2] }).status === 0;

/** Whether a program is on the path. */
export const hasProgram = (command: string): boolean =>
  spawnSync("which", [command], { stdio: "ignore" }).status === 0;

/** @returns whether the packages are installed now */
export function aptInstall(...packages: readonly string[]): boolean {
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : hasProgram("sudo") ? ["sudo", "-n"] : null;
  if (prefix === null || !hasProgram("apt-get")) return false;
  const apt = (...args: string[]) => {
    const [command = "", ...rest] = [...prefix, "apt-get", ...args];
    return attempt(command, rest);
  };
  return (
    apt("update", "-qq") && apt("install", "-y", "-qq", "--no-install-recommends", ...packages)
  );
}
