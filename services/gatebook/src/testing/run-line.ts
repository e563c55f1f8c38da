import { realNetwork } from '@gatebook/js/core';
import type { CliContext } from '../cli/cli-context.ts';
import { runCommandLine } from '../cli/program.ts';

export type LineOptions = Partial<Omit<CliContext, 'print' | 'printError' | 'stopSignal'>> & {
  /** Aborts where a person would press Ctrl-C. */
  stop?: AbortSignal;
  onLine?: (line: string) => void;
};

/**
 * Runs a command line; arguments are separated by spaces. Without a session, settings or a terminal unless they are
 * given. `lines` parses each line of the output as JSON.
 */
export async function runLine(line: string, { stop, onLine, ...options }: LineOptions = {}) {
  const printed: string[] = [];
  const errors: string[] = [];
  const code = await runCommandLine(line.split(' '), {
    network: realNetwork,
    sessionFile: '',
    env: {},
    terminal: null,
    ...options,
    stopSignal: () => stop ?? new AbortController().signal,
    print: (text) => {
      printed.push(text);
      onLine?.(text);
    },
    printError: (text) => errors.push(text),
  });
  const output = printed.join('\n');
  return {
    code,
    output,
    errors: errors.join('\n'),
    lines: () => output.split('\n').map((each) => JSON.parse(each)),
  };
}
