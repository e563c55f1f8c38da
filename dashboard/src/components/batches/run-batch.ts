import type { ChangesClient } from '@gatebook/js/admin';
import type { SessionsClient } from '@gatebook/js/core';
import { isKnownError, type KnownError } from '@gatebook/js/errors';
import { errorText } from '../../lib/error-text.ts';
import { type BatchAction, callOf, isAlreadyDone } from './batch.ts';
import type { StoredBatch } from './stored-batch.ts';

export type BatchClients = {
  changes: Pick<ChangesClient, 'write' | 'preview'>;
  sessions: Pick<SessionsClient, 'revokeAll'>;
};

/** Users whose calls run at the same time. */
const LANES = 4;

type Options = {
  stored: StoredBatch;
  clients: BatchClients;
  signal: AbortSignal;
  onProgress: (progress: StoredBatch['progress']) => void;
};

/**
 * Continues a batch until its end, or until it is stopped. A call that the server rejects is a failure of its user.
 * @throws any other error, such as a lost connection; the batch can be continued then
 */
export async function runBatch({ stored: { batch, progress }, clients, signal, onProgress }: Options): Promise<void> {
  let { done, failures } = progress;
  while (done < batch.userIds.length && !signal.aborted) {
    const part = batch.userIds.slice(done, done + LANES);
    const texts = await Promise.all(part.map((userId) => changeUser(clients, batch.action, userId)));
    done += part.length;
    failures = [
      ...failures,
      ...part.flatMap((userId, nth) => {
        const text = texts[nth];
        return text === null || text === undefined ? [] : [{ userId, text }];
      }),
    ];
    onProgress({ done, failures });
  }
}

/** @returns why the server rejected the call; null if it did not */
async function changeUser(clients: BatchClients, action: BatchAction, userId: string): Promise<string | null> {
  const call = callOf(action, userId);
  try {
    await (call === null ? clients.sessions.revokeAll(userId) : clients.changes.write(call));
    return null;
  } catch (error) {
    if (!isRejection(error)) throw error;
    return isAlreadyDone(action, error.code) ? null : errorText(error);
  }
}

/** Whether the change of this user was rejected, not the session or the role of the owner. */
const isRejection = (error: unknown): error is KnownError =>
  isKnownError(error) && error.status !== 401 && error.status !== 403;
