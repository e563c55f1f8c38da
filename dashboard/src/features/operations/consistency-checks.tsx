import type { ConsistencyCheck } from '@gatebook/js/operations';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import classes from './operations-page.module.css';

const NAMED_AT_MOST = 10;

/** What came out when read models were held against the log. */
export function ConsistencyChecks({ checks }: { checks: readonly ConsistencyCheck[] }) {
  return (
    <Card title="ConsistencyChecks" labelId="checks-title" flush>
      {checks.length === 0 ? (
        <p className={classes.empty}>
          Nothing has been held against the log yet. The first sample is drawn a few minutes after the start.
        </p>
      ) : (
        <ul className={classes.list}>
          {checks.map((check) => (
            <ConsistencyCheckRow key={`${check.set} ${check.kind}`} check={check} />
          ))}
        </ul>
      )}
    </Card>
  );
}

const titles: Readonly<Record<string, string>> = { sample: 'Sample', verify: 'Verification', repair: 'Repair' };

function ConsistencyCheckRow({ check }: { check: ConsistencyCheck }) {
  const { set, projectionVersion, position, kind, checkedAt, rowsChecked, checksumsOff, differing, differences } =
    check;
  const more = differing - Math.min(NAMED_AT_MOST, differences.length);
  const isSound = differing === 0 && checksumsOff.length === 0;
  return (
    <li className={classes.check}>
      <div className={classes.name}>
        <strong>{set}</strong>
        <small>
          {titles[kind] ?? kind} of {projectionVersion} <RelativeTime at={checkedAt} />
        </small>
      </div>
      <div className={classes.numbers}>
        {kind === 'repair' ? `${plural(differing, 'row')} repaired` : plural(rowsChecked, 'row')}
        <small>at position {formatCount(position)}</small>
      </div>
      <ConsistencyCheckState check={check} />
      {!isSound && (
        <div className={classes.differences} role={kind === 'repair' ? undefined : 'alert'}>
          {checksumsOff.length > 0 && (
            <p className={classes.fault}>{checksumsOff.join(', ')}: the rows do not add up to what was written.</p>
          )}
          <ul>
            {differences.slice(0, NAMED_AT_MOST).map(({ table, key, kind: way, columns }) => (
              <li key={`${table} ${JSON.stringify(key)}`}>
                <code>
                  {table} {Object.values(key).join(',')}
                </code>{' '}
                {describe(way, columns)}
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
  if (differing > 0) return <StatusDot tone="bad">{`${plural(differing, 'row')} wrong`}</StatusDot>;
  if (checksumsOff.length > 0) return <StatusDot tone="bad">Checksum off</StatusDot>;
  return <StatusDot tone="good">As the log says</StatusDot>;
}

function describe(way: string, columns: readonly string[]): string {
  if (way === 'missing') return 'is in the log and not in the table';
  if (way === 'surplus') return 'is in the table and not in the log';
  return `${columns.join(', ')} ${columns.length === 1 ? 'differs' : 'differ'}`;
}
