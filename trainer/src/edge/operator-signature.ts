/** The name of an operator, as the edge writes it to its audit log. */
import { OPERATOR_NAME_HEADER } from "@waggle/protocol";

/** @param name - of the operator; by default the user of this machine. */
export function operatorSignature(
  environment: { readonly [name: string]: string | undefined },
  name: string = environment["USER"] ?? "operator",
): { readonly [header: string]: string } {
  return { [OPERATOR_NAME_HEADER]: encodeURIComponent(name) };
}
