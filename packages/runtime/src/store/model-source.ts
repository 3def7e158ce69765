/**
 * The sources that a model can come from, and the forms in which a visitor may type them. Names only:
 * `model-listing.ts` contacts the servers.
 */
import { WaggleError } from "@waggle/protocol";
import type { BaseModelReference } from "@waggle/protocol";

/** Where a model comes from. */
export type ModelSource =
  | {
      readonly kind: "hugging-face";
      /** `Qwen/Qwen3-0.6B`. Public ones only, because a page cannot keep a token secret. */
      readonly repository: string;
      /** Branch, tag or commit. Default `main`. */
      readonly revision?: string;
      /** Folder inside the repository. Default: its root. */
      readonly folder?: string;
      /** Default `https://huggingface.co`. A mirror must have the same paths. */
      readonly endpoint?: string;
    }
  /** A folder in Hugging Face's layout on any server that this page may read. */
  | { readonly kind: "url"; readonly baseUrl: string }
  /** A folder that the visitor picked: `showDirectoryPicker()`, or the files of an `<input>`. */
  | {
      readonly kind: "folder";
      readonly folder: FileSystemDirectoryHandle | readonly File[];
    }
  /** An edge's objects by hash: `<baseUrl>/v1/objects/<sha256>`. */
  | {
      readonly kind: "objects";
      readonly baseUrl: string;
      readonly model: Pick<BaseModelReference, "files">;
    };

export const HUGGING_FACE = "https://huggingface.co";

const REPOSITORY = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/;

/**
 * Parses `org/name`, `org/name@revision`, the URL of a repository, folder or file on
 * huggingface.co, or the URL of any other folder.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for anything else.
 */
export function parseModelSource(text: string): ModelSource {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed)) {
    const at = trimmed.indexOf("@");
    const repository = at === -1 ? trimmed : trimmed.slice(0, at);
    if (!REPOSITORY.test(repository)) throw notASource(text);
    return hub(repository, at === -1 ? undefined : trimmed.slice(at + 1), undefined, text);
  }
  if (!URL.canParse(trimmed)) throw notASource(text);
  const url = new URL(trimmed);
  if (!/^(www\.)?(huggingface\.co|hf\.co)$/.test(url.hostname)) {
    // people often copy the URL of a file in the folder
    const path = url.pathname.replace(/\/(config\.json|[^/]+\.safetensors)$/, "");
    return { kind: "url", baseUrl: `${url.origin}${path}`.replace(/\/+$/, "") };
  }
  const [organization, name, view, revision, ...rest] = url.pathname.split("/").filter(Boolean);
  const repository = `${organization}/${name}`;
  if (name === undefined || !REPOSITORY.test(repository)) throw notASource(text);
  if (view === undefined) return hub(repository, undefined, undefined, text);
  if (!/^(resolve|blob|tree|raw)$/.test(view) || revision === undefined) throw notASource(text);
  if (view !== "tree") rest.pop();
  const folder = rest.length === 0 ? undefined : rest.map(decodeURIComponent).join("/");
  return hub(repository, decodeURIComponent(revision), folder, text);
}

/** A one-line name that is unique to the source and stable. */
export function modelSourceName(source: ModelSource): string {
  switch (source.kind) {
    case "hugging-face": {
      const { repository, revision = "main", folder, endpoint = HUGGING_FACE } = source;
      const host = endpoint === HUGGING_FACE ? "" : `${endpoint}/`;
      return `${host}${repository}@${revision}${folder === undefined ? "" : `/${folder}`}`;
    }
    case "url":
      return source.baseUrl;
    case "folder":
      return Array.isArray(source.folder)
        ? "picked files"
        : `folder ${(source.folder as FileSystemDirectoryHandle).name}`;
    case "objects":
      return `objects of ${source.baseUrl}`;
  }
}

function hub(
  repository: string,
  revision: string | undefined,
  folder: string | undefined,
  text: string,
): ModelSource {
  const isRevision = revision === undefined || /^(?!.*\.\.)[\w./-]{1,200}$/.test(revision);
  if (!isRevision) throw notASource(text);
  return {
    kind: "hugging-face",
    repository,
    ...(revision !== undefined && { revision }),
    ...(folder !== undefined && { folder }),
  };
}

function notASource(text: string): WaggleError {
  return new WaggleError(
    "INVALID_ARGUMENT",
    `${JSON.stringify(text.slice(0, 200))} is not organization/name, organization/name@revision or an https address; copy it from the model's page`,
  );
}
