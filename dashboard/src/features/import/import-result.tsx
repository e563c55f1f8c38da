import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { formatCount } from '../../lib/format.ts';
import classes from './import.module.css';
import type { ImportProgress } from './run-import.ts';
import { textOfReason } from './texts.ts';

type Props = { progress: ImportProgress; isDryRun: boolean; projectId: string };

/** What became of the rows, or would become of them. */
export function ImportResult({ progress: { counts, reasons }, isDryRun, projectId }: Props) {
  const figures = [
    [isDryRun ? t`To be created` : t`Created`, counts.created],
    [isDryRun ? t`To be completed` : t`Completed`, counts.completed],
    [t`Already exist`, counts.existing],
    [t`Rejected`, counts.rejected],
  ] as const;
  const listOf = (lost: 'row' | 'part') =>
    [...reasons.values()].filter((each) => each.lost === lost).toSorted((one, other) => other.count - one.count);
  return (
    <div role="status">
      <dl className={classes.counts}>
        {figures.map(([label, count]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      <Reasons title={t`Rejected rows`} reasons={listOf('row')} />
      <Reasons title={t`Details left out`} reasons={listOf('part')} />
      {!isDryRun && counts.created > 0 && (
        <Text size="sm" mt="md">
          <AppLink href={`/projects/${projectId}/users`}>
            <Trans>Show users</Trans>
          </AppLink>
        </Text>
      )}
    </div>
  );
}

type Reason = { reason: string; count: number };

function Reasons({ title, reasons }: { title: string; reasons: readonly Reason[] }) {
  if (reasons.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={600} mt="md">
        {title}
      </Text>
      <ul className={classes.reasons}>
        {reasons.map(({ reason, count }) => (
          <li key={reason}>
            {formatCount(count)} × {textOfReason(reason)}
          </li>
        ))}
      </ul>
    </>
  );
}
