import type { Network } from '@gatebook/js/network';

/** What the commands need of the machine; tests put their own in place. */
export type Surroundings = {
  network: Network;
  sessionFile: string;
  env: Readonly<Record<string, string | undefined>>;
  /** A line for people, or for programs that read it. */
  say: (line: string) => void;
  complain: (line: string) => void;
  /** Somebody who watches and can answer; null in a pipe. */
  terminal: Terminal | null;
  /** From the first call on, Ctrl-C no longer ends the process but aborts this: the command closes what it has opened. */
  stopSignal: () => AbortSignal;
};

export type Terminal = {
  /** @returns whether the answer was yes */
  ask: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** A bar from 0 to `total` under `title`. */
  startBar: (title: string) => Bar;
};
export type Bar = { show: (progress: Progress) => void; stop: () => void };
/** `rate` is in events per second, `secondsLeft` null while nobody can tell. */
export type Progress = { position: number; total: number; rate: number; secondsLeft: number | null };

/** What a command ends with; scripts tell by it what happened. `found`: a check or comparison found what should not be. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, notSignedIn: 3, notApproved: 4, found: 5 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command's end in words for people. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
