import {
  type AttemptRecord,
  type EndpointHealth,
  forgetFailures,
  markWarned,
  recordAttempts,
} from '@gatebook/readmodel/webhooks/attempts';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { atOf, type EndpointTrouble, type WebhookParts } from './parts.ts';
import { disableAfterMs, warnAfterMs } from './schedule.ts';

type Recording = { endpoint: WebhookEndpoint; subject: string; attempt: AttemptRecord; isGone: boolean };
/** `subjects`: those of which no attempt of a message follows. `nextMs`: when the first of the others is due. */
type Recorded = { hasSuccess: boolean; subjects: readonly string[]; nextMs: number | null };
type OnRecorded = (endpointId: string, recorded: Recorded) => void;

/**
 * Records attempts, those of an endpoint together while the database is busy with earlier ones. What cannot be recorded
 * is sent again once the lease ends.
 */
export function createAttemptLog(parts: WebhookParts, onRecorded: OnRecorded) {
  const waiting = new Map<string, Recording[]>();
  const writing = new Map<string, Promise<void>>();

  async function write(endpointId: string): Promise<void> {
    for (let batch = waiting.get(endpointId); batch; batch = waiting.get(endpointId)) {
      waiting.delete(endpointId);
      try {
        await recordBatch(parts, endpointId, batch, onRecorded);
      } catch (error) {
        parts.logger.warn({ err: error, endpointId }, 'could not record webhooks');
      }
    }
    writing.delete(endpointId);
  }

  return {
    add: (recording: Recording) => {
      const { id } = recording.endpoint;
      waiting.set(id, [...(waiting.get(id) ?? []), recording]);
      if (!writing.has(id)) writing.set(id, write(id));
    },
    close: async () => void (await Promise.all(writing.values())),
  };
}

async function recordBatch(
  parts: WebhookParts,
  endpointId: string,
  batch: readonly Recording[],
  onRecorded: OnRecorded,
): Promise<void> {
  const attempts = batch.map(({ attempt }) => attempt);
  for (const { status } of attempts) if (status !== 'delivered') parts.onFailure?.();
  const health = await recordAttempts(parts.pool, endpointId, attempts, atOf(parts));
  const hasSuccess = attempts.some(({ status }) => status === 'delivered');
  const finished = batch.filter(({ attempt }) => attempt.status !== 'pending');
  const waits = attempts.flatMap(({ nextMs }) => nextMs ?? []);
  const nextMs = waits.length > 0 ? Math.min(...waits) : null;
  onRecorded(endpointId, { hasSuccess, subjects: finished.map(({ subject }) => subject), nextMs });
  const kind = await findTrouble(parts, endpointId, health, batch);
  const [latest] = batch;
  if (!kind || !latest) return;
  await parts.onTrouble({ endpoint: latest.endpoint, kind });
  // It begins anew once it is enabled.
  if (kind !== 'warning') await forgetFailures(parts.pool, endpointId);
}

async function findTrouble(
  parts: WebhookParts,
  endpointId: string,
  health: EndpointHealth | null,
  batch: readonly Recording[],
): Promise<EndpointTrouble['kind'] | null> {
  if (batch.some(({ isGone }) => isGone)) return 'gone';
  if (!health || health.failingMs === null || health.failingMs < warnAfterMs) return null;
  if (health.failingMs >= disableAfterMs) return 'failing';
  if (health.isWarned) return null;
  return (await markWarned(parts.pool, endpointId, atOf(parts))) ? 'warning' : null;
}
