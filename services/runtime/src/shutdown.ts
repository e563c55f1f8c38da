import type { Logger } from './logger.ts';

export type Shutdown = {
  /** Adds a step. Steps run once, the last added first. */
  add(name: string, step: () => Promise<unknown> | unknown): void;
  /** Runs all steps, even if one fails. Later calls wait for the first. @returns whether all steps succeeded */
  run(): Promise<boolean>;
};

/** Collects the steps to close what a process has opened, so that a failed start also closes everything. */
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
