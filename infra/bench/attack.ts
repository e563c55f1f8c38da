import { once } from 'node:events';
import type { Attack } from './failing-calls.ts';
import { startProcess } from './processes.ts';

/** Starts a process that attacks one server at a time. */
export async function startAttacker() {
  const { child, stop } = await startProcess(new URL('attacker.ts', import.meta.url), [], {}, () => true);
  const exited = once(child, 'exit').then(() => false);
  return {
    /** @throws Error if the process ends, whose error is in the output */
    attack: async (attack: Attack): Promise<void> => {
      child.send(attack);
      const answered = once(child, 'message').then(() => true);
      if (!(await Promise.race([answered, exited]))) throw new Error('the attacker has ended');
    },
    stop,
  };
}
