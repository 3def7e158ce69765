/** Request headers with the operator's name, which the edge writes to its audit log. */
import { OPERATOR_NAME_HEADER } from "@waggle/protocol";

/** @param name - the operator's name; default the user of this machine. */
export function operatorSignature(
  environment: { readonly [name: string]: string | undefined },
  name: string = environment["USER"] ?? "operator",
): { readonly [header: string]: string } {
  return { [OPERATOR_NAME_HEADER]: encodeURIComponent(name) };
}
