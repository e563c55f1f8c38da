import type { AuditClient, AuditEvent, AuditFilters } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Stack, Text } from '@mantine/core';
import { useMoment } from '../../lib/moment.ts';
import { AuditDetail } from '../audit/audit-detail.tsx';
import { findEvent, untilMoment } from '../audit/audit-moments.ts';
import { describeActor } from '../audit/audit-pages.ts';
import { RelativeTime } from '../relative-time.tsx';
import { BlockLoading, ErrorNote } from '../states.tsx';
import classes from './explanations.module.css';

export type CauseProps = {
  audit: AuditClient;
  projectId: string;
  /** What is explained, as in `Why is Ann a member?`. */
  question: string;
  filters: AuditFilters;
  /** Finds the newest event that matches the filters and names this object. */
  targetId?: string;
};

export function CauseDialog({
  isOpen,
  onClose,
  question,
  ...cause
}: CauseProps & { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={question} size="lg">
      <LoadedCause {...cause} />
    </Modal>
  );
}

function LoadedCause({ audit, projectId, filters, targetId }: Omit<CauseProps, 'question'>) {
  const moment = useMoment().value;
  const found = useResource(['cause', projectId, JSON.stringify(filters), targetId ?? '', moment], () =>
    findCause(audit, filters, { targetId, moment }),
  );
  if (found.error !== undefined) {
    return <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />;
  }
  if (found.value === undefined) return <BlockLoading height={120} label={t`Loading explanation`} />;
  if (found.value === null)
    return (
      <Text size="sm">
        <Trans>The audit log has no event that explains this.</Trans>
      </Text>
    );
  const { event, causes, sameRequest } = found.value;
  return (
    <Stack gap="md">
      <Sentence event={event} />
      <Sentences title={t`What led to it`} events={causes} />
      <Sentences title={t`In the same request`} events={sameRequest} />
      <AuditDetail audit={audit} projectId={projectId} event={event} />
    </Stack>
  );
}

function Sentences({ title, events }: { title: string; events: readonly AuditEvent[] }) {
  if (events.length === 0) return null;
  return (
    <div>
      <h3 className={classes.title}>{title}</h3>
      <ul className={classes.led}>
        {events.map((event) => (
          <li key={event.id}>
            <Sentence event={event} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Sentence({ event }: { event: AuditEvent }) {
  return (
    <Text size="sm" component="div">
      {event.text}
      <Text size="sm" c="dimmed" span>
        <Trans>
          {' · '}
          <RelativeTime at={event.at} />, by {describeActor(event.actor)}
        </Trans>
      </Text>
    </Text>
  );
}

type Cause = { event: AuditEvent; causes: readonly AuditEvent[]; sameRequest: readonly AuditEvent[] };
type Options = { targetId: string | undefined; moment: string | null };

async function findCause(
  audit: AuditClient,
  filters: AuditFilters,
  { targetId, moment }: Options,
): Promise<Cause | null> {
  const until = await untilMoment(audit, moment);
  const isOfTarget = ({ targets }: AuditEvent) => targetId === undefined || targets.some(({ id }) => id === targetId);
  const event = await findEvent(audit, { ...filters, ...until }, isOfTarget);
  if (!event) return null;
  const [{ causes }, { actionsSameRequest }] = await Promise.all([audit.findChain(event.id), audit.find(event.id)]);
  const isElsewhere = ({ actionId }: AuditEvent) => actionId !== event.actionId;
  return { event, causes: causes.filter(isElsewhere), sameRequest: actionsSameRequest };
}
