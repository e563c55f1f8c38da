import type { FieldChange } from '@gatebook/js/admin';
import { formatCount } from '../../lib/format.ts';
import classes from './audit.module.css';

type Value = FieldChange['before'];

/** What a change did to each field, with the old value struck out. */
export function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <table className={classes.changes}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after, isRedacted }) => (
          <tr key={field}>
            <th scope="row">
              <code>{field}</code>
            </th>
            <td>{before === null ? <Nothing /> : <del>{isRedacted ? <Hidden /> : <Shown value={before} />}</del>}</td>
            <td>{after === null ? <Nothing /> : <ins>{isRedacted ? <Hidden /> : <Shown value={after} />}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Nothing = () => <span className={classes.dim}>none</span>;
const Hidden = () => <span className={classes.dim}>hidden</span>;

function Shown({ value }: { value: Value }) {
  if (isLarge(value)) return <span>{formatCount(value.bytes)} bytes</span>;
  return <span>{typeof value === 'string' ? value : JSON.stringify(value)}</span>;
}

const isLarge = (value: Value): value is { bytes: number; sha256: string } =>
  typeof value === 'object' && value !== null && 'bytes' in value && 'sha256' in value;
