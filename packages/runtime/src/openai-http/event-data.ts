/**
 * Extracts the data of server-sent events: takes text in any pieces and outputs one string per
 * event. Ignores names, ids and retries, which chat servers do not send. Own code, because the npm
 * package for it cannot be loaded from source: its exports also have a condition `source`.
 *
 * Source: WHATWG HTML, 9.2.6 "Interpreting an event stream".
 */
export class EventDataStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    let data: string[] = [];
    super({
      transform(text, controller) {
        // A carriage return at the end may be half of a line end.
        const whole = /^([^]*?)(\r?)$/.exec(rest + text.replace(/^\uFEFF/, "")) ?? [];
        const lines = (whole[1] ?? "").split(/\r\n|\n|\r/);
        rest = `${lines.pop() ?? ""}${whole[2] ?? ""}`;
        for (const line of lines) {
          if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
          if (line !== "" || data.length === 0) continue;
          controller.enqueue(data.join("\n"));
          data = [];
        }
      },
    });
  }
}
