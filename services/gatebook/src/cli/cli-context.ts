import type { Network } from '@gatebook/js/core';

/** What commands need from the machine; tests pass their own. */
export type CliContext = {
  network: Network;
  sessionFile: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Prints a line to standard output, for people or for programs. */
  print: (line: string) => void;
  printError: (line: string) => void;
  /** Null in a pipe, where nobody can answer a question. */
  terminal: Terminal | null;
  /** After the first call Ctrl-C aborts this signal instead of ending the process, so that a command can clean up. */
  stopSignal: () => AbortSignal;
};

export type Terminal = {
  /** @returns whether the answer was yes */
  confirm: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** A bar from 0 to `total` under `title`. */
  startBar: (title: string) => Bar;
};
export type Bar = { show: (progress: Progress) => void; stop: () => void };
/** `rate` is in events per second; `secondsLeft` is null while it can't be estimated. */
export type Progress = { position: number; total: number; rate: number; secondsLeft: number | null };

/** Exit codes, for scripts. `problemFound`: a check or comparison found a problem. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, notSignedIn: 3, notApproved: 4, problemFound: 5 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command with a message for people. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
