import type { Operations } from '@gatebook/js/admin';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import classes from './operations-page.module.css';

const places: Readonly<Record<string, string>> = { postgres: 'Postgres', eventstoredb: 'EventStoreDB' };

type Props = Pick<Operations, 'log' | 'lastBackup' | 'rejectionsExpiredAt'>;

/** Where the log is, whether it has lost events, the last backup, and when old rejected calls were last deleted. */
export function LogAndBackups({ log, lastBackup, rejectionsExpiredAt }: Props) {
  return (
    <Card title="Log and backups" labelId="log-title" flush>
      <ul className={classes.list}>
        <li className={classes.check}>
          <div className={classes.name}>
            <strong>Event log</strong>
            <small>{places[log.adapter] ?? log.adapter}</small>
          </div>
          <div className={classes.numbers}>{log.fellBackAt && <RelativeTime at={log.fellBackAt} />}</div>
          {log.fellBackAt ? <StatusDot tone="busy">Events lost</StatusDot> : <StatusDot tone="good">Intact</StatusDot>}
        </li>
        <li className={classes.check}>
          <div className={classes.name}>
            <strong>Last backup</strong>
            <small>{lastBackup ? describeVerification(lastBackup.verifiedAt) : 'Run gatebook backup'}</small>
          </div>
          <div className={classes.numbers}>{lastBackup && <RelativeTime at={lastBackup.finishedAt} />}</div>
          <BackupState lastBackup={lastBackup} />
        </li>
        <li className={classes.check}>
          <div className={classes.name}>
            <strong>Rejected calls</strong>
            <small>Old ones are deleted every hour</small>
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
    <>
      Verified <RelativeTime at={verifiedAt} />
    </>
  ) : (
    'Run gatebook backup verify'
  );

function BackupState({ lastBackup }: Pick<Operations, 'lastBackup'>) {
  if (lastBackup === null) return <StatusDot tone="off">No backup</StatusDot>;
  return lastBackup.verifiedAt ? (
    <StatusDot tone="good">Verified</StatusDot>
  ) : (
    <StatusDot tone="busy">Not verified</StatusDot>
  );
}

/** A run can take long where many are old. */
const expiryIsLateMs = 3 * 60 * 60_000;

function ExpiryState({ at }: { at: Date | null }) {
  if (at === null) return <StatusDot tone="off">Not yet</StatusDot>;
  return Date.now() - at.getTime() > expiryIsLateMs ? (
    <StatusDot tone="busy">Late</StatusDot>
  ) : (
    <StatusDot tone="good">Done</StatusDot>
  );
}
