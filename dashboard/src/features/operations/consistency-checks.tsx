import type { ConsistencyCheck } from '@gatebook/js/admin';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import classes from './operations-page.module.css';

const MAX_LISTED = 10;

/** Results of the checks that compare read models with the log. */
export function ConsistencyChecks({ checks }: { checks: readonly ConsistencyCheck[] }) {
  return (
    <Card title="Integrity checks" labelId="checks-title" flush>
      {checks.length === 0 ? (
        <p className={classes.empty}>No checks yet. The first sample is checked a few minutes after startup.</p>
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

const titles: Readonly<Record<string, string>> = { sample: 'Sample', verify: 'Verification', repair: 'Repair' };

function ConsistencyCheckRow({ check }: { check: ConsistencyCheck }) {
  const { group, projectionVersion, position, kind, checkedAt, rowsChecked, checksumsOff, differing, differences } =
    check;
  const more = differing - Math.min(MAX_LISTED, differences.length);
  const isConsistent = differing === 0 && checksumsOff.length === 0;
  return (
    <li className={classes.check}>
      <div className={classes.name}>
        <strong>{group}</strong>
        <small>
          {titles[kind] ?? kind} of {projectionVersion} <RelativeTime at={checkedAt} />
        </small>
      </div>
      <div className={classes.numbers}>
        {kind === 'repair' ? `${plural(differing, 'row')} repaired` : plural(rowsChecked, 'row')}
        <small>at position {formatCount(position)}</small>
      </div>
      <ConsistencyCheckState check={check} />
      {!isConsistent && (
        <div className={classes.differences} role={kind === 'repair' ? undefined : 'alert'}>
          {checksumsOff.length > 0 && (
            <p className={classes.error}>{checksumsOff.join(', ')}: the checksum does not match the rows.</p>
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
            {more > 0 && <li>and {formatCount(more)} more</li>}
          </ul>
        </div>
      )}
    </li>
  );
}

function ConsistencyCheckState({ check: { kind, differing, checksumsOff } }: { check: ConsistencyCheck }) {
  if (kind === 'repair') return <StatusDot tone={checksumsOff.length > 0 ? 'bad' : 'off'}>Repaired</StatusDot>;
  if (differing > 0)
    return <StatusDot tone="bad">{`${plural(differing, 'row')} ${differing === 1 ? 'differs' : 'differ'}`}</StatusDot>;
  if (checksumsOff.length > 0) return <StatusDot tone="bad">Checksum mismatch</StatusDot>;
  return <StatusDot tone="good">Matches the log</StatusDot>;
}

function describeDifference(kind: string, columns: readonly string[]): string {
  if (kind === 'missing') return 'is in the log but not in the table';
  if (kind === 'surplus') return 'is in the table but not in the log';
  return `${columns.join(', ')} ${columns.length === 1 ? 'differs' : 'differ'}`;
}
