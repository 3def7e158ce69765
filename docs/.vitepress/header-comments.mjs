/**
 * TypeDoc takes the header of a package's entry for the comment of its first export. The header describes
 * the module, which has it already (scripts/docs.ts), so the export loses it.
 */
import { Converter, ReflectionKind } from "typedoc";

const textOf = (comment) =>
  comment?.summary
    .map(({ text }) => text)
    .join("")
    .trim();

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const headers = new Set(
      project.getReflectionsByKind(ReflectionKind.Module).map(({ comment }) => textOf(comment)),
    );
    headers.delete(undefined);
    for (const reflection of Object.values(project.reflections)) {
      if (reflection.kindOf(ReflectionKind.Module)) continue;
      if (headers.has(textOf(reflection.comment))) delete reflection.comment;
    }
  });
}
