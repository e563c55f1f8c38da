import type { RecordedEvent } from '@eventstore/db-client';
import { z } from 'zod';
import type { StoredEvent } from '../codec.ts';

const marker = 'gatebook';

/** Stored beside an event's data. */
export type StoredMetadata = Pick<StoredEvent, 'version' | 'encrypted' | 'metadata'> & {
  /** Distinguishes our events from those of other programs. Events of earlier releases have no marker. */
  log?: typeof marker;
};

export const toStoredMetadata = ({ version, encrypted, metadata }: StoredEvent): StoredMetadata => ({
  log: marker,
  version,
  encrypted,
  metadata,
});

/** What every event without a marker has. */
const shape = z.object({
  log: z.literal(marker).optional(),
  version: z.number(),
  encrypted: z.string().nullable(),
  metadata: z.object({ projectId: z.string(), actor: z.object({ kind: z.string() }), requestId: z.string() }),
});

/**
 * Recognizes the events of this log: on a server that other programs use too, and beside the server's own events, whose
 * types begin with `$`. `onForeign` gets the first event of another program.
 */
export function createRecognizer(streamPrefix: string, onForeign: (event: RecordedEvent) => void) {
  let hasSeenForeign = false;
  return (event: RecordedEvent): boolean => {
    if (event.type.startsWith('$') || !event.streamId.startsWith(streamPrefix)) return false;
    const metadata = event.metadata as Partial<StoredMetadata> | null | undefined;
    if (metadata?.log === marker || shape.safeParse(metadata).success) return true;
    if (!hasSeenForeign) onForeign(event);
    hasSeenForeign = true;
    return false;
  };
}
