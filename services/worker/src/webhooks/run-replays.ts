import {
  advanceReplay,
  listRunningReplays,
  matchReplay,
  type Replay,
  replaysChannel,
} from '@gatebook/readmodel/webhooks/replays';
import { createAlarm } from './alarm.ts';
import { atOf, type WebhookParts } from './parts.ts';
import { toDeliveries } from './take-events.ts';

const lookEveryMs = 30_000;

/** Makes messages of what replays send again, until `signal` aborts. */
export async function runReplays(parts: WebhookParts, signal: AbortSignal): Promise<void> {
  const { pool, listener, logger } = parts;
  const alarm = await createAlarm(listener, [replaysChannel]);
  try {
    while (!signal.aborted) {
      try {
        for (const replay of await listRunningReplays(pool)) await runReplay(parts, replay, signal);
      } catch (error) {
        logger.warn({ err: error }, 'could not replay webhooks');
      }
      await alarm.next(lookEveryMs, signal);
    }
  } finally {
    await alarm.close();
  }
}

async function runReplay(parts: WebhookParts, replay: Replay, signal: AbortSignal): Promise<void> {
  for (let { from } = replay; !signal.aborted; ) {
    const { items, next } = await matchReplay(parts, { ...replay, from });
    const deliveries = await toDeliveries(parts, replay.projectId, items);
    const isMoved = await advanceReplay(parts.pool, { id: replay.id, from }, deliveries, next, atOf(parts));
    if (!isMoved || next === null) return;
    from = next;
  }
}
