/** A page of the documentation as text, as Vite imports it. */
declare module "*.md?raw" {
  const text: string;
  export default text;
}
