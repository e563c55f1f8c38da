import { createInterface } from 'node:readline/promises';
import { SingleBar } from 'cli-progress';
import type { Terminal } from './cli-context.ts';
import { duration } from './text.ts';

/** The terminal of this process; null when standard input or standard error is redirected. */
export function ownTerminal(): Terminal | null {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  return {
    confirm: async (question, signal) => {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `, { signal })).trim());
      } catch (error) {
        if (signal.aborted) return false;
        throw error;
      } finally {
        lines.close();
      }
    },
    startBar: (title) => {
      const bar = new SingleBar({
        format: `${title} {bar} {percentage} %  {value}/{total}  {rate} events/s  {left}`,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        barsize: 28,
        hideCursor: true,
        formatValue: (value, _options, type) => (type === 'percentage' ? String(value) : value.toLocaleString('en-US')),
      });
      bar.start(1, 0, { rate: '…', left: '' });
      return {
        show: ({ position, total, rate, secondsLeft }) => {
          bar.setTotal(Math.max(1, total));
          const left = secondsLeft === null ? '' : `${duration(secondsLeft)} left`;
          bar.update(position, { rate: Math.round(rate).toLocaleString('en-US'), left });
        },
        stop: () => bar.stop(),
      };
    },
  };
}
