import type { Recorded } from '@gatebook/domain/event';
import type { Context, WriteDeps } from './deps.ts';

type Cause = NonNullable<Context['cause']>;

export const causeOf = ({ id: eventId, metadata: { correlationId } }: Recorded): Cause => ({ eventId, correlationId });

/** For a job about a stream: its newest event, which created the work. */
export async function findCause({ store }: Pick<WriteDeps, 'store'>, stream: string): Promise<{ cause?: Cause }> {
  const newest = (await store.readStream(stream)).events.at(-1);
  return newest ? { cause: causeOf(newest) } : {};
}
