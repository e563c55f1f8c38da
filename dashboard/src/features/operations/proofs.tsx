import type { Proof } from '@gatebook/sdk/operations';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import classes from './operations-page.module.css';

const NAMED_AT_MOST = 10;

/** What came out when read models were held against the log. */
export function Proofs({ proofs }: { proofs: readonly Proof[] }) {
  return (
    <Card title="Proofs" labelId="proofs-title" flush>
      {proofs.length === 0 ? (
        <p className={classes.empty}>
          Nothing has been held against the log yet. The first sample is drawn a few minutes after the start.
        </p>
      ) : (
        <ul className={classes.list}>
          {proofs.map((proof) => (
            <ProofRow key={`${proof.set} ${proof.kind}`} proof={proof} />
          ))}
        </ul>
      )}
    </Card>
  );
}

const titles: Readonly<Record<string, string>> = { sample: 'Sample', verify: 'Verification', repair: 'Repair' };

function ProofRow({ proof }: { proof: Proof }) {
  const { set, generation, position, kind, checkedAt, rowsChecked, checksumsOff, differing, differences } = proof;
  const more = differing - Math.min(NAMED_AT_MOST, differences.length);
  const isSound = differing === 0 && checksumsOff.length === 0;
  return (
    <li className={classes.proof}>
      <div className={classes.name}>
        <strong>{set}</strong>
        <small>
          {titles[kind] ?? kind} of {generation} <RelativeTime at={checkedAt} />
        </small>
      </div>
      <div className={classes.numbers}>
        {kind === 'repair' ? `${plural(differing, 'row')} mended` : plural(rowsChecked, 'row')}
        <small>at position {formatCount(position)}</small>
      </div>
      <ProofState proof={proof} />
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

function ProofState({ proof: { kind, differing, checksumsOff } }: { proof: Proof }) {
  if (kind === 'repair') return <StatusDot tone={checksumsOff.length > 0 ? 'bad' : 'off'}>Mended</StatusDot>;
  if (differing > 0) return <StatusDot tone="bad">{`${plural(differing, 'row')} wrong`}</StatusDot>;
  if (checksumsOff.length > 0) return <StatusDot tone="bad">Checksum off</StatusDot>;
  return <StatusDot tone="good">As the log says</StatusDot>;
}

function describe(way: string, columns: readonly string[]): string {
  if (way === 'missing') return 'is in the log and not in the table';
  if (way === 'surplus') return 'is in the table and not in the log';
  return `${columns.join(', ')} ${columns.length === 1 ? 'differs' : 'differ'}`;
}
