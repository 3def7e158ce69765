/** The folder of the bundle. Imported before the element is defined, because that creates the page's agents. */
import { WaggleAgentElement } from "../element/waggle-agent.ts";

export const OWN_FOLDER: string = new URL(".", import.meta.url).href;

WaggleAgentElement.assetsUrl ??= OWN_FOLDER;
