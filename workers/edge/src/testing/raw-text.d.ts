/** A file as text, as Vite imports it: a page of the documentation, a recording. */
declare module "*?raw" {
  const text: string;
  export default text;
}
