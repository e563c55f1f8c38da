import type { Network } from '@gatebook/sdk/network';

/** What the commands need of the machine; tests put their own in place. */
export type Surroundings = {
  network: Network;
  sessionFile: string;
  /** A line for people, or for programs that read it. */
  say: (line: string) => void;
  complain: (line: string) => void;
};

/** What a command ends with; scripts tell by it what happened. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, notSignedIn: 3, notApproved: 4 } as const;
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
