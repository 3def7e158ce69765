/** The program `train-edge`. It loads no other command. */
import { createCommand } from "./command-line.ts";
import { runProgram } from "./run-program.ts";
import { addTrainEdgeCommand } from "./train-edge-command.ts";

await runProgram((options) => {
  const program = createCommand("waggle");
  addTrainEdgeCommand(program, options);
  return program;
});
