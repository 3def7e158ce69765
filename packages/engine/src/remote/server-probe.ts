/**
 * Detects which server responds at a URL and what it serves, before anything is created there.
 */
import { WaggleError } from "@waggle/protocol";
import type { HttpTransport } from "./http-transport.ts";
import { listMember, memberOf } from "./json-members.ts";
import { SERVER_FLAVORS } from "./server-flavor.ts";
import type { ServerFlavor, ServerFlavorName } from "./server-flavor.ts";

export type ProbedServer = {
  readonly flavor: ServerFlavor;
  readonly baseModel: string;
};

/**
 * @param wanted choices of the caller; the rest is detected.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if no server of the Tinker API responds, `MODEL_UNSUPPORTED`
 *   if it does not serve the base model, `INVALID_ARGUMENT` if it serves several and none is named.
 */
export async function probeServer(
  transport: HttpTransport,
  wanted: {
    readonly flavor?: ServerFlavorName | undefined;
    readonly baseModel?: string | undefined;
  },
): Promise<ProbedServer> {
  const capabilities = await ask(transport, "/api/v1/get_server_capabilities");
  const models = listMember(capabilities, "supported_models", "get_server_capabilities")
    .map((model) => memberOf(model, "model_name"))
    .filter((name) => typeof name === "string");
  const flavor =
    wanted.flavor === undefined
      ? await recognize(transport, capabilities)
      : SERVER_FLAVORS[wanted.flavor];
  return { flavor, baseModel: baseModelOf(models, wanted.baseModel) };
}

/**
 * open-rl has further members in its capabilities, SkyRL names itself at the root. Any other server is
 * addressed as the Tinker SDK does, and its capabilities are tried later.
 */
async function recognize(transport: HttpTransport, capabilities: unknown): Promise<ServerFlavor> {
  if (memberOf(capabilities, "single_process") !== undefined) return SERVER_FLAVORS["open-rl"];
  const root = await ask(transport, "/");
  return memberOf(root, "name") === "Tinker API Mock" ? SERVER_FLAVORS.skyrl : SERVER_FLAVORS.sdk;
}

async function ask(transport: HttpTransport, path: string): Promise<unknown> {
  const { status, json } = await transport.sendJson({
    method: "GET",
    path,
    isRepeatable: true,
    accepts: path === "/" ? [400, 401, 403, 404, 405] : [404, 405],
  });
  if (status === 200) return json;
  if (path === "/") return null;
  throw new WaggleError(
    "DEVICE_UNAVAILABLE",
    `${transport.origin} is not a server of the Tinker API: it answered ${path} with ${status}; pass the URL without /api/v1`,
  );
}

function baseModelOf(models: readonly string[], wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (models.length === 0 || models.includes(wanted)) return wanted;
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `the server does not serve ${wanted.slice(0, 200)} but ${models.join(", ").slice(0, 300)}; start it with that base model`,
    );
  }
  const [only] = models;
  if (only !== undefined && models.length === 1) return only;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the server serves ${models.length} base models; set baseModel to one of ${models.join(", ").slice(0, 300) || "those it was started for"}`,
  );
}
