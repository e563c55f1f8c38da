import type { Comparison, TableComparison } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { formatCount } from '../../lib/format.ts';
import classes from './operations-page.module.css';

/** The result of a comparison: equal, or which rows differ. */
export function ComparisonNote({ comparison, onClose }: { comparison: Comparison; onClose: () => void }) {
  const { live, other, position, isEqual, tables } = comparison;
  const rows = tables.reduce((sum, { rowsLive }) => sum + rowsLive, 0);
  const differing = tables.filter(({ onlyLive, onlyOther, changed }) => onlyLive + onlyOther + changed > 0);
  return (
    <section className={classes.comparison} aria-label={t`Comparison of ${other} with ${live}`} role="status">
      <div className={classes.comparisonHead}>
        <strong>
          {isEqual ? t`${other} matches ${live}` : t`${other} differs from ${live}`}
          <small>
            <Trans>
              {plural(rows, { one: '# row', other: '# rows' })} of{' '}
              {plural(tables.length, { one: '# table', other: '# tables' })}, at position {formatCount(position)}
            </Trans>
          </small>
        </strong>
        <Button size="compact-xs" variant="subtle" onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      </div>
      {differing.map((table) => (
        <Differences key={table.table} table={table} live={live} other={other} />
      ))}
    </section>
  );
}

function Differences({ table, live, other }: { table: TableComparison; live: string; other: string }) {
  const counts = [
    [table.changed, 'changed'],
    [table.onlyLive, t`only in ${live}`],
    [table.onlyOther, t`only in ${other}`],
  ] as const;
  const summary = counts.filter(([count]) => count > 0).map(([count, words]) => `${formatCount(count)} ${words}`);
  return (
    <div className={classes.differences}>
      <h3>
        {table.table}: {summary.join(', ')}
      </h3>
      <ul>
        {table.first.map(({ key, how, columns }) => (
          <li key={JSON.stringify(key)}>
            <code>
              {Object.entries(key)
                .map(([column, value]) => `${column}=${value}`)
                .join(' ')}
            </code>{' '}
            {how === 'changed' ? columns.join(', ') : t`only in ${how === 'only_live' ? live : other}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
