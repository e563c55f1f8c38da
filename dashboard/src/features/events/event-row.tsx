import type { PublicEvent } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useId } from 'react';
import audit from '../../components/audit/audit.module.css';
import { describeActor } from '../../components/audit/audit-pages.ts';
import { type EventSubject, subjectsOf, unnamed } from '../../components/events/event-facts.ts';
import { EventMark } from '../../components/events/event-mark.tsx';
import type { EventSearch } from '../../components/events/event-search.ts';
import classes from '../../components/events/events.module.css';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EventDetail } from './event-detail.tsx';

export type EventRowProps = {
  event: PublicEvent;
  projectId: string;
  apiUrl: string;
  isOpen: boolean;
  onOpen: (eventId: string | undefined) => void;
  onFilter: (filter: Partial<EventSearch>) => void;
};

export function EventRow({ event, projectId, apiUrl, isOpen, onOpen, onFilter }: EventRowProps) {
  const detailId = useId();
  const actor = { ...event.actor, displayName: null, impersonator: null, isErased: false };
  return (
    <li className={audit.entry}>
      <EventMark type={event.type} />
      <div className={audit.entryText}>
        <UnstyledButton
          className={audit.sentence}
          aria-expanded={isOpen}
          aria-controls={detailId}
          onClick={() => onOpen(isOpen ? undefined : event.id)}
        >
          <IconChevronRight size={14} aria-hidden className={audit.chevron} />
          <span className={classes.type}>{event.type}</span>
        </UnstyledButton>
        <small>
          <RelativeTime at={new Date(event.created_at_millis)} />
          {subjectsOf(event).map((subject) => (
            <span key={subject.kind}>
              {' · '}
              <SubjectFilter subject={subject} onFilter={onFilter} />
            </span>
          ))}
          {t` · by `}
          {describeActor(actor)}
        </small>
        <div id={detailId}>{isOpen && <EventDetail event={event} projectId={projectId} apiUrl={apiUrl} />}</div>
      </div>
    </li>
  );
}

type SubjectFilterProps = { subject: EventSubject } & Pick<EventRowProps, 'onFilter'>;

/** Shows only the events of a user or team when clicked. */
function SubjectFilter({ subject: { kind, id, name }, onFilter }: SubjectFilterProps) {
  return (
    <UnstyledButton
      className={audit.filterable}
      title={t`Show only events of ${id}`}
      onClick={() => onFilter({ [kind]: id })}
    >
      {name ?? unnamed({ kind, id })}
    </UnstyledButton>
  );
}
