/** The trainer's commands as a process. */
import { createProgram, runProgram } from "@waggle/trainer";

await runProgram(createProgram);
