import type { FieldChange } from '@gatebook/js/admin';
import { Trans } from '@lingui/react/macro';
import { formatCount } from '../../lib/format.ts';
import classes from './audit.module.css';

type Value = FieldChange['before'];

/** What a change did to each field, with the old value struck out. */
export function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <table className={classes.changes}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Field</Trans>
          </th>
          <th scope="col">
            <Trans>Before</Trans>
          </th>
          <th scope="col">
            <Trans>After</Trans>
          </th>
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

const Nothing = () => (
  <span className={classes.dim}>
    <Trans>none</Trans>
  </span>
);
const Hidden = () => (
  <span className={classes.dim}>
    <Trans>hidden</Trans>
  </span>
);

function Shown({ value }: { value: Value }) {
  if (isLarge(value))
    return (
      <span>
        <Trans>{formatCount(value.bytes)} bytes</Trans>
      </span>
    );
  return <span>{typeof value === 'string' ? value : JSON.stringify(value)}</span>;
}

const isLarge = (value: Value): value is { bytes: number; sha256: string } =>
  typeof value === 'object' && value !== null && 'bytes' in value && 'sha256' in value;
