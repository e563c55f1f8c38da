import type { ChangesClient, Preview } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { Skeleton } from '@mantine/core';
import { useChanges } from '../../lib/changes.ts';
import { formatCount, plural } from '../../lib/format.ts';
import classes from '../changes/changes.module.css';
import { type BatchAction, callOf, isAlreadyDone } from './batch.ts';

/** Users whose calls are previewed. */
const PREVIEWED = 10;

type Props = { action: BatchAction; userIds: readonly string[] };

/** What the action does to the first users. Nothing for an action without a preview. */
export function BatchPreview({ action, userIds }: Props) {
  const changes = useChanges();
  const sample = userIds.slice(0, PREVIEWED);
  if (!changes || callOf(action, '') === null || sample.length === 0) return null;
  return (
    <LoadedPreview changes={changes} action={action} userIds={sample} isWhole={sample.length === userIds.length} />
  );
}

type LoadedProps = Props & { changes: ChangesClient; isWhole: boolean };

function LoadedPreview({ changes, action, userIds, isWhole }: LoadedProps) {
  const found = useResource(['preview', JSON.stringify(action), userIds.join(',')], () =>
    previewBatch(changes, action, userIds),
  );
  // The dialog works without its preview.
  if (found.error !== undefined) return null;
  if (!found.value) {
    return (
      <div role="status" aria-label="Loading preview">
        <Skeleton h={40} radius="sm" />
      </div>
    );
  }
  const { changed, unchanged, rejections, effects, isReversible } = found.value;
  return (
    <div className={classes.note}>
      <p className={classes.reversible}>
        {[
          isWhole ? '' : `Of the first ${formatCount(userIds.length)} users: `,
          plural(changed, 'user changes', 'users change'),
          unchanged > 0 && `, ${formatCount(unchanged)} already as wanted`,
        ]}
      </p>
      <ul className={classes.effects} aria-label="Effects">
        {[...effects].map(([kind, count]) => (
          <li key={kind}>{effectText(kind, count)}</li>
        ))}
        {[...rejections].map(([text, count]) => (
          <li key={text}>{`${plural(count, 'user')}: ${text}`}</li>
        ))}
        <li>{isReversible ? 'Each change can be undone in the audit log.' : 'Cannot be undone.'}</li>
      </ul>
    </div>
  );
}

type BatchPreviewed = {
  changed: number;
  unchanged: number;
  /** Users by the reason why the server would reject the call. */
  rejections: ReadonlyMap<string, number>;
  /** Counts by kind. */
  effects: ReadonlyMap<string, number>;
  isReversible: boolean;
};

async function previewBatch(
  changes: Pick<ChangesClient, 'preview'>,
  action: BatchAction,
  userIds: readonly string[],
): Promise<BatchPreviewed> {
  const calls = userIds.flatMap((userId) => callOf(action, userId) ?? []);
  const previews = await Promise.all(calls.map((call) => changes.preview(call)));
  const isRejected = ({ error }: Preview) => error !== null && !isAlreadyDone(action, error.code);
  const accepted = previews.filter(({ error }) => error === null);
  const changed = accepted.filter(({ events }) => events.length > 0);
  return {
    changed: changed.length,
    unchanged: previews.length - changed.length - previews.filter(isRejected).length,
    rejections: sum(previews.filter(isRejected).map(({ error }) => [error?.error ?? '', 1])),
    effects: sum(accepted.flatMap(({ effects }) => effects.map(({ kind, count }) => [kind, count] as const))),
    isReversible: changed.every((preview) => preview.isReversible),
  };
}

function sum(counts: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

const effectTexts: Readonly<Record<string, [one: string, many: string]>> = {
  email: ['email is sent', 'emails are sent'],
  sessions_ended: ['session ends', 'sessions end'],
  api_keys_revoked: ['API key is revoked', 'API keys are revoked'],
  erasure: ['user is erased', 'users are erased'],
  erasure_scheduled: ['user is erased after the grace period', 'users are erased after the grace period'],
  grants_void: ['permission no longer counts', 'permissions no longer count'],
  permission_gained: ['permission is gained', 'permissions are gained'],
  permission_lost: ['permission is lost', 'permissions are lost'],
};

function effectText(kind: string, count: number): string {
  const [one, many] = effectTexts[kind] ?? [kind, kind];
  return plural(count, one, many);
}
