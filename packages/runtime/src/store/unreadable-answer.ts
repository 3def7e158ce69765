/** A missing file on a server that sends its 404 without CORS headers. A page cannot read such an answer. */
import { type RemoteAnswer, type RemoteRequest, requestBytes } from "./remote-bytes.ts";

/**
 * Whether the server answers for the folder's config, which every model has, and not for this file.
 *
 * @param request - of the file.
 * @param first - its answer to HEAD.
 */
export async function isUnreadable(request: RemoteRequest, first: RemoteAnswer): Promise<boolean> {
  const folder = request.url.slice(0, request.url.lastIndexOf("/"));
  const config = { ...request, url: `${folder}/config.json`, method: "HEAD" } as const;
  return (
    isUnanswered(first) &&
    isUnanswered(await answerTo(request)) &&
    !isUnanswered(await answerTo(config))
  );
}

async function answerTo(request: RemoteRequest): Promise<RemoteAnswer> {
  const answer = await requestBytes(request);
  if (answer.kind === "body") await answer.cancel();
  return answer;
}

/** A refusal with a status does not say whether its server was reached before. */
function isUnanswered(answer: RemoteAnswer): boolean {
  return answer.kind === "refused" && answer.isUnreached !== undefined;
}
