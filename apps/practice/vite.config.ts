/**
 * The practice page as a Vite app. `WAGGLE_SITE` is the file that exports the site's environment, with `#name` for
 * another export than the default.
 */
import { defineConfig, type Plugin } from "vite";
import { pageConfig } from "../page-config.ts";

/** What the page imports the site's environment from. */
const SITE = "virtual:waggle-site";

const site: Plugin = {
  name: "waggle-site",
  // A site outside this repository must not bring a second copy of these.
  config: () => ({
    resolve: { dedupe: ["@waggle/agent", "@waggle/environments", "@waggle/protocol"] },
  }),
  resolveId: (id) => (id === SITE ? `\0${SITE}` : null),
  load(id) {
    if (id !== `\0${SITE}`) return null;
    const source = process.env["WAGGLE_SITE"];
    if (source === undefined) {
      this.error("WAGGLE_SITE must be the file of a site; use npm run loop -- --site <file>");
    }
    const at = source.lastIndexOf("#");
    const [file, name] =
      at <= 0 ? [source, "default"] : [source.slice(0, at), source.slice(at + 1)];
    return `export { ${name} as environment } from ${JSON.stringify(file)};`;
  },
};

export default defineConfig(
  pageConfig({
    root: import.meta.dirname,
    edgeUrl: "http://127.0.0.1:8787",
    hasModel: true,
    plugins: [site],
  }),
);
