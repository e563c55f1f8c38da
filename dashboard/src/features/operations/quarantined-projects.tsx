import type { OperationsClient, QuarantinedProject } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { formatCount } from '../../lib/format.ts';
import classes from './operations-page.module.css';

type Props = {
  quarantines: readonly QuarantinedProject[];
  operations: Pick<OperationsClient, 'release'>;
  refresh: () => Promise<void>;
};

/** Projects whose events wait because one of them failed. */
export function QuarantinedProjects({ quarantines, operations, refresh }: Props) {
  const retry = useAction(async (projectId: string) => {
    await operations.release(projectId);
    await refresh();
  });
  if (quarantines.length === 0) return null;
  return (
    <Card title={t`Quarantined projects`} labelId="quarantined-title" flush>
      {retry.error !== undefined && (
        <div className={classes.note}>
          <ErrorNote error={retry.error} />
        </div>
      )}
      <ul className={classes.list}>
        {quarantines.map(({ projectId, subscription, projectionVersion, position, error, since }) => (
          <li key={`${projectId} ${projectionVersion ?? subscription}`} className={classes.row}>
            <div className={classes.name}>
              <strong>{projectId}</strong>
              <small>{projectionVersion ?? subscription}</small>
            </div>
            <div className={classes.numbers}>
              <Trans>
                Event {formatCount(position)}
                <small>
                  <RelativeTime at={since} />
                </small>
              </Trans>
            </div>
            <Button
              size="xs"
              variant="default"
              loading={retry.isRunning}
              aria-label={t`Retry project ${projectId}`}
              onClick={() => void retry.run(projectId)}
            >
              <Trans>Retry</Trans>
            </Button>
            <p role="alert" className={classes.error}>
              {error}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
