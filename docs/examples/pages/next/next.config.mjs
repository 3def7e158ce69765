/** Writes a folder of static files. A site with a server leaves this out. */
export default { output: "export" };
