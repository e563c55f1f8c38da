import type { AuditClient, AuditEvent, AuditEventDetail } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { UnstyledButton } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { formatExactTime } from '../../lib/format.ts';
import { hrefAt } from '../../lib/moment.ts';
import { AppLink } from '../app-link.tsx';
import { UndoButton } from '../changes/undo-button.tsx';
import { CopyField } from '../copy-field.tsx';
import { ScrolledText } from '../scrolled-text.tsx';
import { BlockLoading, ErrorNote } from '../states.tsx';
import classes from './audit.module.css';
import { type AuditSearch, rejectionHref } from './audit-search.ts';
import { FieldChanges } from './field-changes.tsx';

type DetailProps = {
  audit: AuditClient;
  projectId: string;
  event: AuditEvent;
  onFilter?: ((filter: Partial<AuditSearch>) => void) | undefined;
};

/** What one event changed, where it came from, and what it caused. */
export function AuditDetail(props: DetailProps) {
  const { event, projectId } = props;
  if (event.outcome !== 'rejected') return <LoadedDetail {...props} />;
  // A rejection is not an event of the log, so there is no more to load.
  return (
    <div className={classes.detail}>
      <Facts {...props} />
      <AppLink href={rejectionHref(projectId, event.actionId)} size="sm">
        Why was it rejected?
      </AppLink>
    </div>
  );
}

function LoadedDetail({ audit, projectId, event, onFilter }: DetailProps) {
  const found = useResource(['audit-event', projectId, event.id], () => audit.find(event.id));
  if (found.value) return <FoundDetail detail={found.value} projectId={projectId} onFilter={onFilter} />;
  if (found.error === undefined) return <BlockLoading height={96} label="Loading event" />;
  return <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />;
}

type FoundProps = { detail: AuditEventDetail } & Pick<DetailProps, 'projectId' | 'onFilter'>;

function FoundDetail({ detail, projectId, onFilter }: FoundProps) {
  const { changes, effects, data, undo } = detail;
  return (
    <div className={classes.detail}>
      {changes === null && <p className={classes.dim}>This object has too many events to show what changed.</p>}
      {changes && changes.length > 0 && <FieldChanges changes={changes} />}
      <Facts event={detail} projectId={projectId} onFilter={onFilter} />
      <UndoButton actionId={detail.actionId} undo={undo} />
      {effects.length > 0 && (
        <Section title="Effects">
          <ul className={classes.plainList}>
            {effects.map((effect) => (
              <li key={effect.id}>{effect.text}</li>
            ))}
          </ul>
        </Section>
      )}
      <details className={classes.raw}>
        <summary>Event data</summary>
        <ScrolledText label="Event data">{JSON.stringify(data, null, 2)}</ScrolledText>
      </details>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h4 className={classes.sectionTitle}>{title}</h4>
      {children}
    </div>
  );
}

function Facts({ event, projectId, onFilter }: Pick<DetailProps, 'event' | 'projectId' | 'onFilter'>) {
  const { type, at, lastAt, errorCode, origin, actionId, id, count } = event;
  return (
    <dl className={classes.facts}>
      <dt>Time</dt>
      <dd>
        {formatExactTime(at)}
        {count > 1 && ` to ${formatExactTime(lastAt)}`}
        <small> ({at.toISOString()})</small>
      </dd>
      <dt>Type</dt>
      <dd>
        {onFilter ? (
          <UnstyledButton className={classes.filterable} onClick={() => onFilter({ type })}>
            {type}
          </UnstyledButton>
        ) : (
          type
        )}
      </dd>
      {errorCode !== null && (
        <>
          <dt>Error</dt>
          <dd>
            <code>{errorCode}</code>
          </dd>
        </>
      )}
      {origin !== null && (
        <>
          <dt>From</dt>
          <dd>{[origin.ip, origin.country, origin.userAgent].filter(Boolean).join(' · ') || 'unknown'}</dd>
        </>
      )}
      <PagesOf event={event} projectId={projectId} />
      <dt>Request ID</dt>
      <dd>
        <CopyField label="Request ID" value={actionId} isHeading={false} />
      </dd>
      <dt>Event ID</dt>
      <dd>
        <CopyField label="Event ID" value={id} isHeading={false} />
      </dd>
    </dl>
  );
}

/** Links to what the event is about, as it is now and as it was right after the event. */
function PagesOf({ event, projectId }: Pick<DetailProps, 'event' | 'projectId'>) {
  const targets = event.targets.filter(({ type }) => type === 'user' || type === 'team');
  return targets.map(({ type, id, displayName }) => {
    const href = `/projects/${projectId}/${type}s/${id}`;
    return (
      <Fragment key={id}>
        <dt>{type === 'user' ? 'User' : 'Team'}</dt>
        <dd>
          <AppLink inherit href={href}>
            {displayName ?? id}
          </AppLink>
          {event.outcome === 'success' && (
            <>
              {' · '}
              <AppLink inherit href={hrefAt(href, event.id)}>
                after this event
              </AppLink>
            </>
          )}
        </dd>
      </Fragment>
    );
  });
}
