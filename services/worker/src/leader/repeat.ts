import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';

/** `failure`: the message of the log when it fails. */
export type RepeatedJob = { run: () => Promise<unknown>; failure: string; fields?: Readonly<Record<string, unknown>> };

/** Runs jobs one after the other, pauses, and begins again, until `signal` aborts. A failure only ends its own job. */
export async function repeat(
  jobs: readonly RepeatedJob[],
  { everyMs, logger }: { everyMs: number; logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const { run, failure, fields } of jobs) {
      if (signal.aborted) return;
      await run().catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error, ...fields }, failure);
      });
    }
    await pause(everyMs, signal);
  }
}
