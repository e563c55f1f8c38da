import { takeTurns } from '../leadership.ts';
import { createLogger } from '../logger.ts';

/** A process that leads on the database it is given, and says so. */
const [, , url = ''] = process.argv;
const say = (word: string) => process.stdout.write(`${word}\n`);
await takeTurns(
  { url, name: 'test', logger: createLogger({ level: 'silent' }) },
  async (signal) => {
    say('leading');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    say('lost');
  },
  new AbortController().signal,
);
