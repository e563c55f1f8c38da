import { takeTurns } from '../leadership.ts';
import { createLogger } from '../logger.ts';

const logger = createLogger({ level: 'silent' });

/** Simulates a process: it is in `leaders` while it leads, until `stop` or the end of its connection. */
export function contend(url: string, name: string, leaders: string[]) {
  const stop = new AbortController();
  const ended = takeTurns(
    { url, name: 'test', logger },
    async (signal) => {
      leaders.push(name);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      leaders.splice(leaders.indexOf(name), 1);
    },
    stop.signal,
  );
  return {
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
