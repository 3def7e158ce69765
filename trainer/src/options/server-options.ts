/** Options for training on a server: a URL as the device, and the server's model and folder. */
import { isEngineUrl, type RemoteServerOptions, requireCuda } from "@waggle/engine";
import { type Command, InvalidArgumentError, Option } from "commander";
import { DEVICES } from "../model/open-model.ts";
import type { Device } from "../model/device.ts";

/** Parsed values of the server options. */
export type ServerOptions = { serverModel?: string; serverFolder?: string };

/** `--device`: a device of this machine, or the URL of a server. */
export function deviceOption(): Option {
  return new Option(
    "--device <name>",
    `training device: ${DEVICES.join(", ")}, or the URL of a server with the Tinker API`,
  )
    .argParser(device)
    .default("auto");
}

/** Adds the options of a server. */
export function withServer(command: Command): Command {
  return command
    .option("--server-model <name>", "base model on the server (default: the only one it serves)")
    .option("--server-folder <folder>", "local mount of an open-rl server's OPEN_RL_TMP_DIR");
}

/**
 * The server that the options name. Its key comes from WAGGLE_SERVER_KEY, not from the command
 * line.
 */
export function serverOf(
  given: ServerOptions,
  environment: { readonly [name: string]: string | undefined },
): RemoteServerOptions {
  return {
    apiKey: environment["WAGGLE_SERVER_KEY"],
    baseModel: given.serverModel,
    sharedFolder: given.serverFolder,
  };
}

/**
 * @throws WaggleError `DEVICE_UNAVAILABLE` for a backend that is not installed, before a model is
 *   read or created.
 */
function device(text: string): Device {
  if (isEngineUrl(text) && URL.canParse(text)) return text;
  const named = DEVICES.find((name) => name === text);
  if (named === "cuda") requireCuda();
  if (named !== undefined) return named;
  throw new InvalidArgumentError(`It must be ${DEVICES.join(", ")}, or a URL.`);
}
