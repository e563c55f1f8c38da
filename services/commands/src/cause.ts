import type { Recorded } from '@gatebook/domain/event';
import { NO_STREAM } from '@gatebook/eventlog/port';
import type { Context, WriteDeps } from './deps.ts';

type Cause = NonNullable<Context['cause']>;

export const causeOf = ({ id: eventId, metadata: { correlationId } }: Recorded): Cause => ({ eventId, correlationId });

/** For a job about a stream: its newest event, which created the work. Reads only that event. */
export async function findCause({ store }: Pick<WriteDeps, 'store'>, stream: string): Promise<{ cause?: Cause }> {
  const revision = (await store.revisionsOf([stream])).get(stream) ?? NO_STREAM;
  if (revision === NO_STREAM) return {};
  for await (const page of store.readStreamPages(stream, { personal: true, large: true }, revision - 1n)) {
    const [newest] = page;
    if (newest) return { cause: causeOf(newest) };
  }
  return {};
}
