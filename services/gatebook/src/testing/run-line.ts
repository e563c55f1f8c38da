import { realNetwork } from '@gatebook/js/network';
import { runCommandLine } from '../cli/program.ts';
import type { Surroundings } from '../cli/surroundings.ts';

export type LineOptions = Partial<Omit<Surroundings, 'say' | 'complain' | 'stopSignal'>> & {
  /** Aborts where a person would press Ctrl-C. */
  stop?: AbortSignal;
  onLine?: (line: string) => void;
};

/**
 * Runs the command line with these words, parted by spaces; without a session, settings or a terminal unless they are given. `lines` reads
 * what was said as JSON, line by line.
 */
export async function runLine(line: string, { stop, onLine, ...given }: LineOptions = {}) {
  const said: string[] = [];
  const complaints: string[] = [];
  const code = await runCommandLine(line.split(' '), {
    network: realNetwork,
    sessionFile: '',
    env: {},
    terminal: null,
    ...given,
    stopSignal: () => stop ?? new AbortController().signal,
    say: (text) => {
      said.push(text);
      onLine?.(text);
    },
    complain: (text) => complaints.push(text),
  });
  const text = said.join('\n');
  return {
    code,
    said: text,
    complaints: complaints.join('\n'),
    lines: () => text.split('\n').map((each) => JSON.parse(each)),
  };
}
