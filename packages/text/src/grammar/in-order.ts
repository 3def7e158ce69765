/** Members of an object, or arguments of a call, in a fixed order. */
import type { Expression, Expressions } from "./expression.ts";

/** Every member except the first that is present follows a separator. */
export function inOrder(
  e: Expressions,
  members: readonly { readonly isRequired: boolean; readonly expression: Expression }[],
  separator: Expression,
): Expression {
  let afterFirst = e.empty;
  let fromHere = e.empty;
  for (const { isRequired, expression } of members.toReversed()) {
    const member = e.sequence(expression, afterFirst);
    const later = e.sequence(separator, member);
    fromHere = isRequired ? member : e.alternatives([member, fromHere]);
    afterFirst = isRequired ? later : e.alternatives([later, afterFirst]);
  }
  return fromHere;
}
