import type { Comparison, TableComparison } from '@gatebook/js/admin';
import { Button } from '@mantine/core';
import { formatCount, plural } from '../../lib/format.ts';
import classes from './operations-page.module.css';

/** The result of a comparison: equal, or which rows differ. */
export function ComparisonNote({ comparison, onClose }: { comparison: Comparison; onClose: () => void }) {
  const { live, other, position, isEqual, tables } = comparison;
  const rows = tables.reduce((sum, { rowsLive }) => sum + rowsLive, 0);
  const differing = tables.filter(({ onlyLive, onlyOther, changed }) => onlyLive + onlyOther + changed > 0);
  return (
    <section className={classes.comparison} aria-label={`Comparison of ${other} with ${live}`} role="status">
      <div className={classes.comparisonHead}>
        <strong>
          {isEqual ? `${other} matches ${live}` : `${other} differs from ${live}`}
          <small>
            {plural(rows, 'row')} of {plural(tables.length, 'table')}, at position {formatCount(position)}
          </small>
        </strong>
        <Button size="compact-xs" variant="subtle" onClick={onClose}>
          Close
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
    [table.onlyLive, `only in ${live}`],
    [table.onlyOther, `only in ${other}`],
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
            {how === 'changed' ? columns.join(', ') : `only in ${how === 'only_live' ? live : other}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
