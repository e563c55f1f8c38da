import type { AuditClient, AuditEvent } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, TextInput } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { findNeighbor } from '../../components/audit/audit-moments.ts';
import { lateDialog } from '../../components/late-dialog.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { formatZonedTime } from '../../lib/format.ts';
import { subjectOf, timeOf, useMoment } from '../../lib/moment.ts';
import { fieldTextOf, timeInField } from '../../lib/zone.ts';
import classes from './time-bar.module.css';

const CompareDialog = lateDialog(async () => (await import('./compare-dialog.tsx')).CompareDialog);

type TimeBarProps = { audit: AuditClient; projectId: string; path: string; moment: string };

/** Chooses the moment that all pages of the project show. */
export function TimeBar({ audit, projectId, path, moment }: TimeBarProps) {
  const { set } = useMoment();
  const { hasPast, target } = subjectOf(path);
  const [isComparing, setComparing] = useState(false);
  const time = timeOf(moment);
  const event = useResource(['moment', projectId, moment], async () => (time ? null : audit.find(moment)));
  const from = time ?? event.value ?? undefined;
  const at = time ?? event.value?.at;
  const step = useAction(async (order: 'asc' | 'desc', from: AuditEvent | Date) => {
    const filters = target ? { targetType: target.type, targetId: target.id } : {};
    const event = await findNeighbor(audit, filters, from, order);
    if (!event) throw new Error(order === 'asc' ? t`There is no later change.` : t`There is no earlier change.`);
    set(event.id);
  });
  return (
    <section aria-label={t`View as of`} className={classes.bar}>
      <div className={classes.row}>
        <IconHistory size={18} aria-hidden />
        <span>
          {at === undefined ? (
            t`Viewing ${event.error === undefined ? t`the past` : t`event ${moment}`}, read-only`
          ) : (
            <Trans>
              Viewing <strong>{formatZonedTime(at)}</strong>,{event.value && t` after “${event.value.text}”,`} read-only
            </Trans>
          )}
        </span>
        {from && <Steps from={from} onStep={step.run} isBusy={step.isRunning} />}
        <TimeInput key={`${moment} ${at}`} at={at} onChange={(chosen) => set(String(chosen.getTime()))} />
        {target && (
          <Button size="xs" variant="default" onClick={() => setComparing(true)}>
            <Trans>Compare with now</Trans>
          </Button>
        )}
        <Button size="xs" onClick={() => set(null)}>
          <Trans>Back to now</Trans>
        </Button>
      </div>
      {!hasPast && (
        <p className={classes.note}>
          <Trans>This page shows the present.</Trans>
        </p>
      )}
      {step.error !== undefined && <ErrorNote error={step.error} />}
      {target && (
        <CompareDialog
          isOpen={isComparing}
          onClose={() => setComparing(false)}
          audit={audit}
          projectId={projectId}
          target={target}
          from={moment}
        />
      )}
    </section>
  );
}

type StepsProps = {
  from: AuditEvent | Date;
  onStep: (order: 'asc' | 'desc', from: AuditEvent | Date) => unknown;
  isBusy: boolean;
};

function Steps({ from, onStep, isBusy }: StepsProps) {
  return (
    <Button.Group className={classes.steps}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconChevronLeft size={14} aria-hidden />}
        disabled={isBusy}
        onClick={() => onStep('desc', from)}
      >
        <Trans>Previous change</Trans>
      </Button>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconChevronRight size={14} aria-hidden />}
        disabled={isBusy}
        onClick={() => onStep('asc', from)}
      >
        <Trans>Next change</Trans>
      </Button>
    </Button.Group>
  );
}

function TimeInput({ at, onChange }: { at: Date | undefined; onChange: (at: Date) => void }) {
  const [text, setText] = useState(at ? fieldTextOf(at) : '');
  const chosen = timeInField(text);
  return (
    <form
      className={classes.time}
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen) onChange(chosen);
      }}
    >
      <TextInput
        type="datetime-local"
        step={1}
        size="xs"
        aria-label={t`Date and time`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={chosen === null}>
        <Trans>View</Trans>
      </Button>
    </form>
  );
}
