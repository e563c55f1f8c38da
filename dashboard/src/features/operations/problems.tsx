import type { Problem } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Card } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import classes from './operations-page.module.css';

/** What a problem without a part is about. */
const subjects: Readonly<Record<string, string>> = {
  appends_blocked: t`Event log`,
  backup_old: t`Backups`,
  database_read_only: t`Database`,
  database_unavailable: t`Database`,
  log_fell_back: t`Event log`,
  log_unavailable: t`Event log`,
  projector_missing: t`Projector`,
  worker_missing: t`Worker`,
};

/** Each problem with what to do about it, critical ones first. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  const isCritical = ({ severity }: Problem) => severity === 'critical';
  const sorted = [...problems.filter(isCritical), ...problems.filter((one) => !isCritical(one))];
  return (
    <Card title={t`Problems`} labelId="problems-title" flush>
      <ul className={classes.list}>
        {sorted.map((problem) => (
          <li key={`${problem.code} ${problem.part}`} className={classes.problem}>
            <StatusDot tone={isCritical(problem) ? 'bad' : 'busy'}>
              {problem.part ?? subjects[problem.code] ?? 'Gatebook'}
            </StatusDot>
            <p
              role={isCritical(problem) ? 'alert' : 'status'}
              className={isCritical(problem) ? classes.error : undefined}
            >
              {problem.message}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
