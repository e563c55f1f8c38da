/** Lets one process take some steps, then advances the clock while all of them are frozen. */
export type Turn = { process: number; steps: number; advanceMs: number };

type Process = { steps: (() => void)[]; isRunning: boolean; hasEnded: boolean };

/**
 * Runs processes one at a time, in the given turns; afterwards the rest of each, in order. A process calls `beforeStep`
 * before each step and is frozen there until its turn comes.
 */
export function createTurns(turns: readonly Turn[], advance: (ms: number) => void) {
  async function run(tasks: readonly ((beforeStep: () => Promise<void>) => Promise<void>)[]): Promise<void> {
    let wake = () => {};
    const failures: unknown[] = [];
    const processes = tasks.map((task): Process => {
      const process: Process = { steps: [], isRunning: true, hasEnded: false };
      const beforeStep = () =>
        new Promise<void>((resume) => {
          process.steps.push(resume);
          process.isRunning = false;
          wake();
        });
      task(beforeStep)
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          process.isRunning = false;
          process.hasEnded = true;
          wake();
        });
      return process;
    });
    const untilFrozen = async () => {
      while (processes.some(({ isRunning }) => isRunning)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    async function step(process: Process | undefined): Promise<void> {
      await untilFrozen();
      if (!process || process.hasEnded) return;
      process.isRunning = true;
      for (const resume of process.steps.splice(0)) resume();
      await untilFrozen();
    }
    for (const { process, steps, advanceMs } of turns) {
      for (let count = 0; count < steps; count += 1) await step(processes[process]);
      advance(advanceMs);
    }
    for (const process of processes) while (!process.hasEnded) await step(process);
    if (failures.length > 0) throw failures[0];
  }
  return { run };
}
