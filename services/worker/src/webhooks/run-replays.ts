import { feedBound } from '@gatebook/readmodel/events/feed';
import { matchReplay, type Replay } from '@gatebook/readmodel/webhooks/replay-matches';
import { advanceReplay, listRunningReplays, replayFailed, replaysChannel } from '@gatebook/readmodel/webhooks/replays';
import { createAlarm } from './alarm.ts';
import { atOf, type WebhookParts } from './parts.ts';
import { toDeliveries } from './take-events.ts';

const lookEveryMs = 30_000;

/** Makes messages of what replays send again, until `signal` aborts. */
export async function runReplays(parts: WebhookParts, signal: AbortSignal): Promise<void> {
  const { listener, logger } = parts;
  const alarm = await createAlarm(listener, [replaysChannel]);
  try {
    while (!signal.aborted) {
      try {
        await runAll(parts, signal);
      } catch (error) {
        logger.warn({ err: error }, 'could not replay webhooks');
      }
      await alarm.next(lookEveryMs, signal);
    }
  } finally {
    await alarm.close();
  }
}

/** A page of each in turn, so that a long one does not hold up the others. Those that cannot go on now are left. */
async function runAll(parts: WebhookParts, signal: AbortSignal): Promise<void> {
  const left = new Set<string>();
  while (!signal.aborted) {
    const replays = (await listRunningReplays(parts.pool)).filter(({ id }) => !left.has(id));
    if (replays.length === 0) return;
    for (const replay of replays) {
      const goesOn = await runPage(parts, replay).catch((error: unknown) => {
        parts.logger.warn({ err: error, replayId: replay.id }, 'could not replay webhooks');
        return false;
      });
      if (!goesOn) left.add(replay.id);
      if (signal.aborted) return;
    }
  }
}

/** @returns false at the end, and if the project's events are not known that far now */
async function runPage(parts: WebhookParts, replay: Replay): Promise<boolean> {
  const { id, projectId, from, wanted } = replay;
  if (wanted === 'failed') return replayFailed(parts.pool, replay, atOf(parts));
  if (feedBound(parts, projectId) < 0n) return false;
  const { items, next, hasMore } = await matchReplay(parts, replay);
  const deliveries = await toDeliveries(parts, projectId, items);
  const isMoved = await advanceReplay(parts.pool, { id, from }, deliveries, next, atOf(parts));
  return isMoved && next !== null && hasMore;
}
