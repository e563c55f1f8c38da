import type { ConsistencyCheck } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount } from '../../lib/format.ts';
import classes from './operations-page.module.css';

const MAX_LISTED = 10;

/** Results of the checks that compare read models with the log. */
export function ConsistencyChecks({ checks }: { checks: readonly ConsistencyCheck[] }) {
  return (
    <Card title={t`Integrity checks`} labelId="checks-title" flush>
      {checks.length === 0 ? (
        <p className={classes.empty}>
          <Trans>No checks yet. The first sample is checked a few minutes after startup.</Trans>
        </p>
      ) : (
        <ul className={classes.list}>
          {checks.map((check) => (
            <ConsistencyCheckRow key={`${check.group} ${check.kind}`} check={check} />
          ))}
        </ul>
      )}
    </Card>
  );
}

const titles: Readonly<Record<string, string>> = { sample: t`Sample`, verify: t`Verification`, repair: t`Repair` };

function ConsistencyCheckRow({ check }: { check: ConsistencyCheck }) {
  const { group, projectionVersion, position, kind, checkedAt, rowsChecked, checksumsOff, differing, differences } =
    check;
  const more = differing - Math.min(MAX_LISTED, differences.length);
  const isConsistent = differing === 0 && checksumsOff.length === 0;
  return (
    <li className={classes.check}>
      <div className={`${classes.name} ${classes.id}`}>
        <strong>{group}</strong>
        <small>
          <Trans>
            {titles[kind] ?? kind} of {projectionVersion}, <RelativeTime at={checkedAt} />
          </Trans>
        </small>
      </div>
      <div className={classes.numbers}>
        {kind === 'repair'
          ? t`${plural(differing, { one: '# row', other: '# rows' })} repaired`
          : plural(rowsChecked, { one: '# row', other: '# rows' })}
        <small>
          <Trans>at position {formatCount(position)}</Trans>
        </small>
      </div>
      <ConsistencyCheckState check={check} />
      {!isConsistent && (
        <div className={classes.differences} role={kind === 'repair' ? undefined : 'alert'}>
          {checksumsOff.length > 0 && (
            <p className={classes.error}>
              <Trans>{checksumsOff.join(', ')}: the checksum does not match the rows.</Trans>
            </p>
          )}
          <ul>
            {differences.slice(0, MAX_LISTED).map(({ table, key, kind: difference, columns }) => (
              <li key={`${table} ${JSON.stringify(key)}`}>
                <code>
                  {table} {Object.values(key).join(',')}
                </code>{' '}
                {describeDifference(difference, columns)}
              </li>
            ))}
            {more > 0 && (
              <li>
                <Trans>and {formatCount(more)} more</Trans>
              </li>
            )}
          </ul>
        </div>
      )}
    </li>
  );
}

function ConsistencyCheckState({ check: { kind, differing, checksumsOff } }: { check: ConsistencyCheck }) {
  if (kind === 'repair')
    return (
      <StatusDot tone={checksumsOff.length > 0 ? 'bad' : 'off'}>
        <Trans>Repaired</Trans>
      </StatusDot>
    );
  if (differing > 0)
    return <StatusDot tone="bad">{plural(differing, { one: '# row differs', other: '# rows differ' })}</StatusDot>;
  if (checksumsOff.length > 0)
    return (
      <StatusDot tone="bad">
        <Trans>Checksum mismatch</Trans>
      </StatusDot>
    );
  return (
    <StatusDot tone="good">
      <Trans>Matches the log</Trans>
    </StatusDot>
  );
}

function describeDifference(kind: string, columns: readonly string[]): string {
  if (kind === 'missing') return t`is in the log but not in the table`;
  if (kind === 'surplus') return t`is in the table but not in the log`;
  const names = columns.join(', ');
  return plural(columns.length, { one: `${names} differs`, other: `${names} differ` });
}
