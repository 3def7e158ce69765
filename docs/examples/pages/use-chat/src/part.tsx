/** One part of a message: text, or a call of a tool with its result. */
import type { UIMessage } from "ai";

export function Part({ part }: { part: UIMessage["parts"][number] }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type !== "dynamic-tool") return null;
  return (
    <details className="tool">
      <summary>
        {part.title} {part.state === "output-available" ? "✓" : part.errorText ? "✗" : "…"}
      </summary>
      <pre>{JSON.stringify(part.input)}</pre>
      <pre>{part.errorText ?? JSON.stringify(part.output)}</pre>
    </details>
  );
}
