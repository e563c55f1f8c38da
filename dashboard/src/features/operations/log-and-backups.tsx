import type { Operations } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import classes from './operations-page.module.css';

const places: Readonly<Record<string, string>> = { postgres: 'Postgres', eventstoredb: 'EventStoreDB' };

type Props = Pick<Operations, 'log' | 'lastBackup' | 'rejectionsExpiredAt'>;

/** Where the log is, whether it has lost events, the last backup, and when old rejected calls were last deleted. */
export function LogAndBackups({ log, lastBackup, rejectionsExpiredAt }: Props) {
  return (
    <Card title={t`Log and backups`} labelId="log-title" flush>
      <ul className={classes.list}>
        <li className={classes.check}>
          <div className={classes.name}>
            <strong>
              <Trans>Event log</Trans>
            </strong>
            <small>{places[log.adapter] ?? log.adapter}</small>
          </div>
          <div className={classes.numbers}>{log.fellBackAt && <RelativeTime at={log.fellBackAt} />}</div>
          {log.fellBackAt ? (
            <StatusDot tone="busy">
              <Trans>Events lost</Trans>
            </StatusDot>
          ) : (
            <StatusDot tone="good">
              <Trans>Intact</Trans>
            </StatusDot>
          )}
        </li>
        <li className={classes.check}>
          <div className={classes.name}>
            <strong>
              <Trans>Last backup</Trans>
            </strong>
            <small>{lastBackup ? describeVerification(lastBackup.verifiedAt) : t`Run gatebook backup`}</small>
          </div>
          <div className={classes.numbers}>{lastBackup && <RelativeTime at={lastBackup.finishedAt} />}</div>
          <BackupState lastBackup={lastBackup} />
        </li>
        <li className={classes.check}>
          <div className={classes.name}>
            <strong>
              <Trans>Rejected calls</Trans>
            </strong>
            <small>
              <Trans>Old ones are deleted every hour</Trans>
            </small>
          </div>
          <div className={classes.numbers}>{rejectionsExpiredAt && <RelativeTime at={rejectionsExpiredAt} />}</div>
          <ExpiryState at={rejectionsExpiredAt} />
        </li>
      </ul>
    </Card>
  );
}

const describeVerification = (verifiedAt: Date | null) =>
  verifiedAt ? (
    <Trans>
      Verified <RelativeTime at={verifiedAt} />
    </Trans>
  ) : (
    t`Run gatebook backup verify`
  );

function BackupState({ lastBackup }: Pick<Operations, 'lastBackup'>) {
  if (lastBackup === null)
    return (
      <StatusDot tone="off">
        <Trans>No backup</Trans>
      </StatusDot>
    );
  return lastBackup.verifiedAt ? (
    <StatusDot tone="good">
      <Trans>Verified</Trans>
    </StatusDot>
  ) : (
    <StatusDot tone="busy">
      <Trans>Not verified</Trans>
    </StatusDot>
  );
}

/** A run can take long where many are old. */
const expiryIsLateMs = 3 * 60 * 60_000;

function ExpiryState({ at }: { at: Date | null }) {
  if (at === null)
    return (
      <StatusDot tone="off">
        <Trans>Not yet</Trans>
      </StatusDot>
    );
  return Date.now() - at.getTime() > expiryIsLateMs ? (
    <StatusDot tone="busy">
      <Trans>Late</Trans>
    </StatusDot>
  ) : (
    <StatusDot tone="good">
      <Trans>Done</Trans>
    </StatusDot>
  );
}
