import type { Project } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, VisuallyHidden } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useMoment } from '../lib/moment.ts';
import { AppLink } from './app-link.tsx';
import classes from './setup-checklist.module.css';
import { setupSteps } from './setup-steps.ts';
import { Card } from './states.tsx';

/** All steps of a project's setup. */
export function SetupChecklist({ project }: { project: Project }) {
  const steps = setupSteps(project);
  return (
    <Card title={t`Before you go live`} labelId="checklist-title" details={<Progress steps={steps} />}>
      <ol className={classes.steps}>
        {steps.map(({ id, label, why, isDone, path }) => (
          <li key={id} className={classes.step} data-done={isDone}>
            {isDone ? <IconCircleCheckFilled size={20} aria-hidden /> : <IconCircle size={20} aria-hidden />}
            <div>
              {isDone ? <span>{label}</span> : <AppLink href={`/projects/${project.id}/${path}`}>{label}</AppLink>}
              <VisuallyHidden>{isDone ? t` Done` : t` Open`}</VisuallyHidden>
              <Text size="sm" c="dimmed">
                {why}
              </Text>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** The next step, until all are done. The past needs no setup. */
export function SetupHint({ project }: { project: Project }) {
  const steps = setupSteps(project);
  const next = steps.find(({ isDone }) => !isDone);
  const isPast = useMoment().value !== null;
  if (!next || isPast) return null;
  return (
    <section className={classes.hint} aria-label={t`Setup`}>
      <Progress steps={steps} />
      <p className={classes.next}>
        <Trans>
          Next: <AppLink href={`/projects/${project.id}/${next.path}`}>{next.label}</AppLink>
        </Trans>
      </p>
      <AppLink href={`/projects/${project.id}/get-started`}>
        <Trans>All steps</Trans>
      </AppLink>
    </section>
  );
}

function Progress({ steps }: { steps: ReturnType<typeof setupSteps> }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        {done} of {steps.length} steps done
      </Trans>
    </Text>
  );
}
