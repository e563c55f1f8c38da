import type { ChangesClient, Preview } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { useChanges } from '../../lib/changes.ts';
import { formatCount } from '../../lib/format.ts';
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
      <div role="status" aria-label={t`Loading preview`}>
        <Skeleton h={40} radius="sm" />
      </div>
    );
  }
  const { changed, unchanged, rejections, effects, isReversible } = found.value;
  return (
    <div className={classes.note}>
      <p className={classes.reversible}>
        {[
          isWhole ? '' : t`Of the first ${formatCount(userIds.length)} users: `,
          plural(changed, { one: '# user changes', other: '# users change' }),
          unchanged > 0 && t`, ${formatCount(unchanged)} already as wanted`,
        ]}
      </p>
      <ul className={classes.effects} aria-label={t`Effects`}>
        {[...effects].map(([kind, count]) => (
          <li key={kind}>{effectText(kind, count)}</li>
        ))}
        {[...rejections].map(([text, count]) => (
          <li key={text}>{`${plural(count, { one: '# user', other: '# users' })}: ${text}`}</li>
        ))}
        <li>{isReversible ? t`Each change can be undone in the audit log.` : t`Cannot be undone.`}</li>
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

const effectTexts: Readonly<Record<string, (count: number) => string>> = {
  email: (count) => plural(count, { one: '# email is sent', other: '# emails are sent' }),
  sessions_ended: (count) => plural(count, { one: '# session ends', other: '# sessions end' }),
  api_keys_revoked: (count) => plural(count, { one: '# API key is revoked', other: '# API keys are revoked' }),
  erasure: (count) => plural(count, { one: '# user is erased', other: '# users are erased' }),
  erasure_scheduled: (count) =>
    plural(count, {
      one: '# user is erased after the grace period',
      other: '# users are erased after the grace period',
    }),
  grants_void: (count) =>
    plural(count, { one: '# permission no longer counts', other: '# permissions no longer count' }),
  permission_gained: (count) => plural(count, { one: '# permission is gained', other: '# permissions are gained' }),
  permission_lost: (count) => plural(count, { one: '# permission is lost', other: '# permissions are lost' }),
  webhook: (count) =>
    plural(count, { one: 'A webhook endpoint is notified', other: 'Webhook endpoints are notified # times' }),
};

const effectText = (kind: string, count: number): string =>
  effectTexts[kind]?.(count) ?? `${formatCount(count)} ${kind}`;
