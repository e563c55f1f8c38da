import type { Logger } from './logger.ts';

export type Shutdown = {
  /** Adds a step; steps run in the reverse order of their addition, each once. */
  add(name: string, step: () => Promise<unknown> | unknown): void;
  /** Runs all steps, also after one failed. Later calls wait for the first. @returns whether every step succeeded */
  run(): Promise<boolean>;
};

/** Collects what has to be closed while a process starts, so that a start that fails half-way closes the half. */
export function createShutdown(logger: Logger): Shutdown {
  const steps: { name: string; step: () => Promise<unknown> | unknown }[] = [];
  let running: Promise<boolean> | undefined;

  async function runSteps(): Promise<boolean> {
    let succeeded = true;
    for (let next = steps.pop(); next; next = steps.pop()) {
      try {
        await next.step();
      } catch (error) {
        succeeded = false;
        logger.error({ err: error, step: next.name }, 'shutdown step failed');
      }
    }
    return succeeded;
  }

  return {
    add: (name, step) => {
      steps.push({ name, step });
    },
    run: () => {
      running ??= runSteps();
      return running;
    },
  };
}
