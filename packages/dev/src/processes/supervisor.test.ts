/** The supervisor, with fake processes and a fake clock. */
import { expect, test } from "vitest";
import { MAX_RESTARTS, type Service, type SupervisedProcess, Supervisor } from "./supervisor.ts";

type Fake = SupervisedProcess & { readonly end: (ending: string) => void; isStopped: boolean };

function fakeProcess(tail: readonly string[] = []): Fake {
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  const fake = {
    exited,
    tail,
    ending: "",
    isStopped: false,
    end(ending: string) {
      fake.ending = ending;
      resolve();
    },
    stop() {
      fake.isStopped = true;
      resolve();
      return Promise.resolve();
    },
  };
  return fake;
}

/** A supervisor whose clock advances only while it waits. */
function openSupervisor() {
  const lines: string[] = [];
  const waits: number[] = [];
  let time = 0;
  const supervisor = new Supervisor({
    say: (line) => lines.push(line),
    now: () => time,
    sleep: (ms, signal) => {
      waits.push(ms);
      time += ms;
      return signal.aborted ? Promise.reject(new Error("stopped")) : Promise.resolve();
    },
  });
  return { supervisor, lines, waits, pass: (ms: number) => (time += ms) };
}

/** A service that returns these processes, one for each start. */
function serviceOf(name: string, processes: readonly (Fake | Error)[]) {
  const starts: boolean[] = [];
  const service: Service = {
    name,
    start: (isRestart) => {
      const process = processes[starts.length];
      starts.push(isRestart);
      if (process instanceof Error) return Promise.reject(process);
      return process === undefined
        ? Promise.reject(new Error("no more"))
        : Promise.resolve(process);
    },
  };
  return { service, starts };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a killed process is restarted, and the reason is logged in one line", async () => {
  const { supervisor, lines, waits } = openSupervisor();
  const [first, second] = [fakeProcess(["", "one", "two ", "three", "four"]), fakeProcess()];
  const { service, starts } = serviceOf("edge", [first, second]);
  await supervisor.start(service);
  first.end("signal SIGKILL");
  await settled();
  expect(lines).toEqual([
    "edge ended with signal SIGKILL (last output: two | three | four); restart 1 of 5 in 1 s",
    "edge is running again",
  ]);
  expect({ waits, starts }).toEqual({ waits: [1000], starts: [false, true] });
  // The children of the dead process are stopped before the next one needs its port.
  expect(first.isStopped).toBe(true);
  await supervisor.stop();
  expect(second.isStopped).toBe(true);
});

test("the supervisor gives up after five restarts, each after a longer wait", async () => {
  const { supervisor, waits } = openSupervisor();
  const broken = new Error("port 8787 is in use\nsee above");
  const first = fakeProcess();
  const { service } = serviceOf("edge", [first, ...Array.from({ length: 5 }, () => broken)]);
  await supervisor.start(service);
  first.end("exit code 1");
  expect(await supervisor.gaveUp).toBe(
    "edge failed 6 times in 10 minutes, last with a failed start: port 8787 is in use | see above",
  );
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
});

test("failures long ago no longer count", async () => {
  const { supervisor, lines, waits, pass } = openSupervisor();
  const processes = Array.from({ length: 2 * MAX_RESTARTS }, () => fakeProcess());
  const { service } = serviceOf("trainer", processes);
  await supervisor.start(service);
  for (const process of processes.slice(0, -1)) {
    pass(10 * 60_000);
    process.end("exit code 1");
    await settled();
  }
  expect(new Set(waits)).toEqual(new Set([1000]));
  expect(lines.at(-1)).toBe("trainer is running again");
  await supervisor.stop();
});

test("a process that runs but does not respond is stopped and restarted", async () => {
  const { supervisor, lines } = openSupervisor();
  const [first, second] = [fakeProcess(), fakeProcess()];
  const { service } = serviceOf("edge", [first, second]);
  const reasons = ["no response for 20 s"];
  const untilUnresponsive = () =>
    reasons.length > 0
      ? Promise.resolve(reasons.pop() ?? "")
      : new Promise<string>(() => undefined);
  await supervisor.start({ ...service, untilUnresponsive });
  await settled();
  expect(first.isStopped).toBe(true);
  expect(lines[0]).toBe("edge ended with no response for 20 s; restart 1 of 5 in 1 s");
  expect(lines[1]).toBe("edge is running again");
  await supervisor.stop();
});

/** Changes that a test makes, one after the other. */
function changes() {
  let next = Promise.withResolvers<string>();
  const untilChanged = () => next.promise;
  const change = async (what: string) => {
    const { resolve } = next;
    next = Promise.withResolvers<string>();
    resolve(what);
    await settled();
  };
  return { untilChanged, change };
}

test("a process whose files change is replaced at once, which is no failure", async () => {
  const { supervisor, lines, waits } = openSupervisor();
  const processes = Array.from({ length: MAX_RESTARTS + 3 }, () => fakeProcess());
  const { service } = serviceOf("trainer", processes);
  const { untilChanged, change } = changes();
  await supervisor.start({ ...service, untilChanged });
  for (const _ of processes.slice(1)) await change("environment.ts changed");
  expect(processes.filter(({ isStopped }) => !isStopped)).toEqual([processes.at(-1)]);
  expect(lines.slice(0, 2)).toEqual([
    "trainer starts again: environment.ts changed",
    "trainer is running again",
  ]);
  expect(waits).toEqual([]);
  await supervisor.stop();
});

test("a process that ends because of a change waits for the next one, however long", async () => {
  const { supervisor, lines, waits, pass } = openSupervisor();
  const [first, broken, fixed, last] = Array.from({ length: 4 }, () => fakeProcess());
  if (!first || !broken || !fixed || !last) throw new Error("four processes");
  const { service, starts } = serviceOf("trainer", [first, broken, fixed, last]);
  const { untilChanged, change } = changes();
  await supervisor.start({ ...service, untilChanged });
  await change("environment.ts changed");
  broken.end("exit code 1");
  await settled();
  expect(lines.at(-1)).toBe(
    "trainer ended with exit code 1; it starts again when a file of the site changes",
  );
  pass(60 * 60_000);
  expect(starts).toHaveLength(2);
  await change("environment.ts changed");
  expect({ last: lines.at(-1), waits }).toEqual({ last: "trainer is running again", waits: [] });
  // A later failure is one of the process itself.
  pass(60_000);
  fixed.end("signal SIGKILL");
  await settled();
  expect({ waits, starts: starts.length }).toEqual({ waits: [1000], starts: 4 });
  await supervisor.stop();
});

test("stopping ends the services in reverse order and restarts none", async () => {
  const { supervisor, lines } = openSupervisor();
  const order: string[] = [];
  for (const name of ["edge", "demo", "trainer"]) {
    const process = fakeProcess();
    const stop = () => {
      order.push(name);
      return process.stop();
    };
    const { service } = serviceOf(name, [{ ...process, stop }]);
    await supervisor.start(service);
  }
  await supervisor.stop();
  await settled();
  expect(order).toEqual(["trainer", "demo", "edge"]);
  expect(lines).toEqual([]);
});

test("a service whose first start fails is not retried", async () => {
  const { supervisor, lines } = openSupervisor();
  const { service, starts } = serviceOf("edge", [new Error("no such model")]);
  await expect(supervisor.start(service)).rejects.toThrow("no such model");
  await settled();
  expect({ starts, lines }).toEqual({ starts: [false], lines: [] });
});
