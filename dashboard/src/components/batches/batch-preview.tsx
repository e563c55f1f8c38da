import type { UserBatchPreview } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { formatCount } from '../../lib/format.ts';
import classes from '../changes/changes.module.css';

/** What a batch does to the first users. */
export function BatchPreview({ preview }: { preview: UserBatchPreview }) {
  const { count, previewed, changed, unchanged, rejections, effects, isReversible } = preview;
  if (previewed === 0) return null;
  return (
    <div className={classes.note}>
      <p className={classes.reversible}>
        {[
          previewed < count ? t`Of the first ${formatCount(previewed)} users: ` : '',
          plural(changed, { one: '# user changes', other: '# users change' }),
          unchanged > 0 && t`, ${formatCount(unchanged)} unchanged`,
        ]}
      </p>
      <ul className={classes.effects} aria-label={t`Effects`}>
        {effects.map((effect) => (
          <li key={effect.kind}>{effectText(effect.kind, effect.count)}</li>
        ))}
        {rejections.map(({ error, count: users }) => (
          <li key={error}>{`${plural(users, { one: '# user', other: '# users' })}: ${error}`}</li>
        ))}
        <li>{isReversible ? t`Can be undone.` : t`Cannot be undone.`}</li>
      </ul>
    </div>
  );
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
