import { takeTurns } from '../leadership.ts';
import { createLogger } from '../logger.ts';

/** A process that takes part in an election on the given database and prints when it starts and stops leading. */
const [, , url = ''] = process.argv;
const print = (word: string) => process.stdout.write(`${word}\n`);
await takeTurns(
  { url, name: 'test', logger: createLogger({ level: 'silent' }) },
  async (signal) => {
    print('leading');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    print('lost');
  },
  new AbortController().signal,
);
