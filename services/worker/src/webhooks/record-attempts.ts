import {
  type AttemptRecord,
  type EndpointHealth,
  forgetFailures,
  markWarned,
  recordAttempts,
} from '@gatebook/readmodel/webhooks/attempts';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { pause } from '@gatebook/runtime/pause';
import { atOf, type EndpointTrouble, type WebhookParts } from './parts.ts';
import { disableAfterMs, warnAfterMs } from './schedule.ts';

/** An attempt that ended. */
export type Recording = { endpoint: WebhookEndpoint; subject: string; attempt: AttemptRecord; isGone: boolean };
/** `subjects`: those of which no attempt of a message follows. `nextMs`: when the first of the others is due. */
type Recorded = { hasSuccess: boolean; subjects: readonly string[]; nextMs: number | null };
type OnRecorded = (endpointId: string, recorded: Recorded) => void;

/** Statements begin at least this far apart: each costs as much as some attempts more in the one before. */
const intervalMs = 10;

/**
 * Records attempts: a single one at once, and those of a busy time together, of all endpoints. What cannot be recorded
 * is sent again once the lease ends.
 */
export function createAttemptLog(parts: WebhookParts, onRecorded: OnRecorded) {
  let waiting: Recording[] = [];
  let writing: Promise<void> | null = null;
  const closing = new AbortController();
  const handling = new Map<string, Promise<void>>();

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const nextAt = performance.now() + intervalMs;
      try {
        await record(batch);
      } catch (error) {
        parts.logger.warn({ err: error }, 'could not record webhooks');
      }
      await pause(Math.max(0, nextAt - performance.now()), closing.signal);
    }
    writing = null;
  }

  async function record(batch: readonly Recording[]): Promise<void> {
    const attempts = batch.map(({ attempt }) => attempt);
    for (const { status } of attempts) if (status !== 'delivered') parts.onFailure?.();
    const health = await recordAttempts(parts.pool, attempts, atOf(parts));
    for (const [endpointId, recordings] of Map.groupBy(batch, ({ endpoint }) => endpoint.id)) {
      onRecorded(endpointId, outcomeOf(recordings));
      handle(endpointId, () => handleTrouble(parts, endpointId, health.get(endpointId) ?? null, recordings));
    }
  }

  /** One after the other of an endpoint, while attempts of others are recorded. */
  function handle(endpointId: string, next: () => Promise<void>): void {
    const handled = (handling.get(endpointId) ?? Promise.resolve())
      .then(next)
      .catch((error: unknown) => parts.logger.warn({ err: error, endpointId }, 'could not report failing webhooks'))
      .finally(() => {
        if (handling.get(endpointId) === handled) handling.delete(endpointId);
      });
    handling.set(endpointId, handled);
  }

  return {
    add: (recording: Recording) => {
      waiting.push(recording);
      writing ??= write();
    },
    close: async () => {
      closing.abort();
      await writing;
      await Promise.all(handling.values());
    },
  };
}

async function handleTrouble(
  parts: WebhookParts,
  endpointId: string,
  health: EndpointHealth | null,
  recordings: readonly Recording[],
): Promise<void> {
  const kind = findTrouble(health, recordings);
  const [latest] = recordings;
  if (!kind || !latest) return;
  await parts.onTrouble({ endpoint: latest.endpoint, kind });
  if (kind === 'warning') await markWarned(parts.pool, endpointId, atOf(parts));
  // It begins anew once it is enabled.
  else await forgetFailures(parts.pool, endpointId);
}

function outcomeOf(recordings: readonly Recording[]): Recorded {
  const attempts = recordings.map(({ attempt }) => attempt);
  const finished = recordings.filter(({ attempt }) => attempt.status !== 'pending');
  const waits = attempts.flatMap(({ nextMs }) => nextMs ?? []);
  return {
    hasSuccess: attempts.some(({ status }) => status === 'delivered'),
    subjects: finished.map(({ subject }) => subject),
    nextMs: waits.length > 0 ? Math.min(...waits) : null,
  };
}

function findTrouble(health: EndpointHealth | null, batch: readonly Recording[]): EndpointTrouble['kind'] | null {
  if (batch.some(({ isGone }) => isGone)) return 'gone';
  if (!health || health.failingMs === null || health.failingMs < warnAfterMs) return null;
  if (health.failingMs >= disableAfterMs) return 'failing';
  return health.isWarned ? null : 'warning';
}
