import type { AuditClient, AuditEvent, AuditEventDetail, UserBatch } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { formatZonedTime } from '../../lib/format.ts';
import { i18n } from '../../lib/language.ts';
import { hrefAt, subjectOf } from '../../lib/moment.ts';
import { useIsUtc } from '../../lib/zone.ts';
import { AppLink } from '../app-link.tsx';
import { canBeUndone } from '../batches/batch.ts';
import { UndoBatchButton } from '../batches/undo-batch-button.tsx';
import { UndoButton } from '../changes/undo-button.tsx';
import { CopyField } from '../copy-field.tsx';
import { Fact, Facts } from '../facts.tsx';
import { ScrolledText } from '../scrolled-text.tsx';
import { BlockLoading, ErrorNote } from '../states.tsx';
import classes from './audit.module.css';
import { type OnFilter, rejectionHref } from './audit-search.ts';
import { FieldChanges } from './field-changes.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { Filterable } from './filterable.tsx';
import { nounOf } from './nouns.ts';
import { hrefOfTarget } from './target-pages.ts';

type DetailProps = {
  audit: AuditClient;
  projectId: string;
  event: AuditEvent;
  onFilter?: OnFilter | undefined;
};

/** What one event changed, where it came from, and what it caused. */
export function AuditDetail(props: DetailProps) {
  const { event, projectId } = props;
  if (event.outcome !== 'rejected') return <LoadedDetail {...props} />;
  // A rejection is not an event of the log, so there is no more to load.
  return (
    <div className={classes.detail}>
      <EventFacts {...props} />
      {props.onFilter && <FilterMenu event={event} onFilter={props.onFilter} />}
      <AppLink href={rejectionHref(projectId, event.actionId)} size="sm">
        <Trans>Why was it rejected?</Trans>
      </AppLink>
    </div>
  );
}

function LoadedDetail({ audit, projectId, event, onFilter }: DetailProps) {
  const found = useResource(['audit-event', projectId, event.id], () => audit.find(event.id));
  if (found.value) return <FoundDetail detail={found.value} projectId={projectId} onFilter={onFilter} />;
  if (found.error === undefined) return <BlockLoading height={96} label={t`Loading event`} />;
  return <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />;
}

type FoundProps = { detail: AuditEventDetail } & Pick<DetailProps, 'projectId' | 'onFilter'>;

function FoundDetail({ detail, projectId, onFilter }: FoundProps) {
  const { changes, effects, data } = detail;
  return (
    <div className={classes.detail}>
      {changes === null && (
        <p className={classes.dim}>
          <Trans>This object has too many events to show what changed.</Trans>
        </p>
      )}
      {changes && changes.length > 0 && <FieldChanges changes={changes} />}
      <EventFacts event={detail} projectId={projectId} onFilter={onFilter} />
      <Undo detail={detail} />
      {onFilter && <FilterMenu event={detail} onFilter={onFilter} />}
      {effects.length > 0 && (
        <Section title={t`Effects`}>
          <ul className={classes.plainList}>
            {effects.map((effect) => (
              <li key={effect.id}>{effect.text}</li>
            ))}
          </ul>
        </Section>
      )}
      <details className={classes.raw}>
        <summary>
          <Trans>Event data</Trans>
        </summary>
        <ScrolledText label={t`Event data`}>{JSON.stringify(data, null, 2)}</ScrolledText>
      </details>
    </div>
  );
}

/** A batch is undone by another batch, everything else by its action. */
function Undo({ detail: { type, actionId, data, targets, undo } }: { detail: AuditEventDetail }) {
  const batch = type === 'UserBatchStarted' ? targets.find((target) => target.type === 'user_batch') : undefined;
  if (!batch) return <UndoButton actionId={actionId} undo={undo} />;
  if (canBeUndone(data.action as UserBatch['type'])) return <UndoBatchButton batchId={batch.id} />;
  // The reasons of the server name the undo by another batch.
  return <UndoButton actionId={actionId} undo={{ ...undo, reasons: [] }} />;
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h4 className={classes.sectionTitle}>{title}</h4>
      {children}
    </div>
  );
}

function EventFacts({ event, projectId, onFilter }: Pick<DetailProps, 'event' | 'projectId' | 'onFilter'>) {
  const isUtc = useIsUtc();
  const { type, at, lastAt, errorCode, origin, actionId, id, count } = event;
  return (
    <Facts isDense>
      <Fact name={t`Time`}>
        {formatZonedTime(at, isUtc)}
        {count > 1 && t` to ${formatZonedTime(lastAt, isUtc)}`}
        <small> ({at.toISOString()})</small>
      </Fact>
      <Fact name={t`Type`}>
        <Filterable label={type} filter={{ type }} onFilter={onFilter} />
      </Fact>
      {errorCode !== null && (
        <Fact name={t`Error`}>
          <code>{errorCode}</code>
        </Fact>
      )}
      {origin !== null && (
        <Fact name={t`From`}>
          {[origin.ip, origin.country, origin.userAgent].filter(Boolean).join(' · ') || t`unknown`}
        </Fact>
      )}
      <PagesOf event={event} projectId={projectId} />
      <Fact name={t`Request ID`}>
        <CopyField label={t`Request ID`} value={actionId} isHeading={false} />
      </Fact>
      <Fact name={t`Event ID`}>
        <CopyField label={t`Event ID`} value={id} isHeading={false} />
      </Fact>
    </Facts>
  );
}

/** Links to what the event is about, as it is now and as it was right after the event. */
function PagesOf({ event, projectId }: Pick<DetailProps, 'event' | 'projectId'>) {
  return event.targets.map((target) => {
    const { type, id, displayName } = target;
    const href = hrefOfTarget(projectId, target);
    if (href === null) return null;
    const { hasPast } = subjectOf(href);
    return (
      <Fact key={`${type} ${id}`} name={capitalized(nounOf(type))}>
        <AppLink href={href}>{displayName ?? id}</AppLink>
        {event.outcome === 'success' && hasPast && (
          <>
            {' · '}
            <AppLink href={hrefAt(href, event.id)}>
              <Trans>after this event</Trans>
            </AppLink>
          </>
        )}
      </Fact>
    );
  });
}

const capitalized = (noun: string) => noun.charAt(0).toLocaleUpperCase(i18n.locale) + noun.slice(1);
