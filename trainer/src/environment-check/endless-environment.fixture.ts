/** A program that checks environments whose own code never ends. It prints the failed checks. */
import { checkEnvironment, defineEnvironment, watchTimeouts } from "@waggle/agent/define";
import { untilEnded, watchEndlessCalls } from "./endless-call.ts";

const forever = (): never => {
  for (;;);
};

const environment = (endless: "tasks" | "demonstrate" | "nearMiss") =>
  defineEnvironment({
    name: "words",
    prompt: "You repeat.",
    tasks: ({ seed, random }) => {
      if (endless === "tasks" && seed === 3) forever();
      const word = random().toString(36).slice(2);
      return { request: word, state: {}, data: { word } };
    },
    tools: {},
    verify: ({ text, data }) => text === data.word,
    gold: ({ data }) => [data.word],
    demonstrate: ({ data }) => (endless === "demonstrate" ? forever() : [data.word]),
    nearMiss: () => (endless === "nearMiss" ? forever() : [["other"]]),
  });

for (const endless of ["tasks", "demonstrate", "nearMiss"] as const) {
  const calls = watchEndlessCalls(300);
  const { spec } = watchTimeouts(environment(endless), calls.onCall);
  for await (const one of untilEnded(checkEnvironment(spec, { tasks: 4 }), calls)) {
    if (one.status === "failed") process.stdout.write(`${one.check}: ${one.words}\n`);
  }
  await calls.close();
}
