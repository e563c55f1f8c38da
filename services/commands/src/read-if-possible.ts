import { UnreadableEventError } from '@gatebook/eventlog/port';

/** Reads streams for people to look at; null if one of the events cannot be read. */
export async function readIfPossible<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableEventError) return null;
    throw error;
  }
}
