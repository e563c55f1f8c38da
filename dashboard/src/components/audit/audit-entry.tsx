import type { AuditClient, AuditEvent } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { late, useLate } from '../../lib/late.ts';
import { RelativeTime } from '../relative-time.tsx';
import { BlockLoading } from '../states.tsx';
import classes from './audit.module.css';
import { type AuditAction, describeActor } from './audit-pages.ts';
import type { OnFilter } from './audit-search.ts';
import { EventIcon } from './event-icon.tsx';
import { actorValue, describeTarget, Filterable, targetValue } from './filterable.tsx';

const detailCode = late(async () => (await import('./audit-detail.tsx')).AuditDetail);

type EntryProps = {
  audit: AuditClient;
  projectId: string;
  action: AuditAction;
  openId?: string | undefined;
  onOpen: (eventId: string | undefined) => void;
  onFilter?: OnFilter | undefined;
  self?: string | undefined;
};

/** The events of one request: the first one, and the others once unfolded. */
export function AuditEntry({ action, ...row }: EntryProps) {
  const [first, ...others] = action.events;
  const [isUnfolded, setUnfolded] = useState(false);
  if (!first) return null;
  const isOpenInside = others.some(({ id }) => id === row.openId);
  return (
    <>
      <Row event={first} {...row} />
      {others.length > 0 && !isUnfolded && !isOpenInside && (
        <li className={classes.others}>
          <UnstyledButton className={classes.link} onClick={() => setUnfolded(true)}>
            <Trans>
              and {plural(others.length, { one: '# more event', other: '# more events' })} of the same request
            </Trans>
          </UnstyledButton>
        </li>
      )}
      {(isUnfolded || isOpenInside) && others.map((event) => <Row key={event.id} event={event} isNested {...row} />)}
    </>
  );
}

type RowProps = Omit<EntryProps, 'action'> & { event: AuditEvent; isNested?: boolean };

function Row({ event, audit, projectId, openId, onOpen, onFilter, self, isNested = false }: RowProps) {
  const detailId = useId();
  const isOpen = openId === event.id;
  const AuditDetail = useLate(detailCode, isOpen, () => onOpen(undefined));
  return (
    <li className={classes.entry} data-nested={isNested || undefined} data-outcome={event.outcome}>
      <EventIcon type={event.type} outcome={event.outcome} />
      <div className={classes.entryText}>
        <UnstyledButton
          className={classes.sentence}
          aria-expanded={isOpen}
          aria-controls={detailId}
          onClick={() => onOpen(isOpen ? undefined : event.id)}
        >
          <IconChevronRight size={14} aria-hidden className={classes.chevron} />
          {event.text}
          {event.count > 1 && (
            <strong className={classes.count}>
              <Trans>{formatCount(event.count)} times</Trans>
            </strong>
          )}
        </UnstyledButton>
        <small>
          <RelativeTime at={event.lastAt} />
          {!isByItsUser(event) && (
            <>
              {t` · by `}
              <Filterable label={describeActor(event.actor, self)} filter={actorValue(event)} onFilter={onFilter} />
            </>
          )}
          {event.targets
            .filter(({ id }) => id !== self && id !== event.actor.id)
            // Without a name it says nothing, but leads to its other events.
            .filter(({ displayName, isErased }) => displayName !== null || isErased || onFilter)
            .map((target) => (
              <span key={`${target.type}:${target.id}`}>
                {' · '}
                <Filterable
                  label={describeTarget(target)}
                  title={`${target.type} ${target.id}`}
                  filter={targetValue(target)}
                  onFilter={onFilter}
                />
              </span>
            ))}
          {event.origin?.ip && (
            <span>
              {' · '}
              <Filterable label={event.origin.ip} filter={{ ip: event.origin.ip }} onFilter={onFilter} />
            </span>
          )}
          {event.undoneByActionId !== null && (
            <span className={classes.undone}>
              <Trans>Undone</Trans>
            </span>
          )}
        </small>
        <div id={detailId}>
          {isOpen && !AuditDetail && <BlockLoading height={96} label={t`Loading event`} />}
          {isOpen && AuditDetail && (
            <AuditDetail audit={audit} projectId={projectId} event={event} onFilter={onFilter} />
          )}
        </div>
      </div>
    </li>
  );
}

/** A sign-up or sign-in is made by the user, although its request has no session yet. */
const isByItsUser = ({ type, actor, outcome }: AuditEvent): boolean =>
  outcome === 'success' && actor.kind === 'client' && (type === 'UserCreated' || type === 'SessionStarted');
