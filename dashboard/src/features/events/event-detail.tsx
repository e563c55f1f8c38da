import type { PublicEvent } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AppLink } from '../../components/app-link.tsx';
import audit from '../../components/audit/audit.module.css';
import { auditHref } from '../../components/audit/audit-search.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { curlAsServer } from '../../components/events/curl.ts';
import { subjectsOf } from '../../components/events/event-facts.ts';
import classes from '../../components/events/events.module.css';
import { JsonView } from '../../components/events/json-view.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { formatExactTime } from '../../lib/format.ts';

type EventDetailProps = { event: PublicEvent; projectId: string; apiUrl: string };

/** An event as other systems read it, and where it came from. */
export function EventDetail({ event, projectId, apiUrl }: EventDetailProps) {
  const at = new Date(event.created_at_millis);
  return (
    <div className={audit.detail}>
      <Facts isDense>
        <Fact name={t`Time`}>
          {formatExactTime(at)} <small>({at.toISOString()})</small>
        </Fact>
        {subjectsOf(event).map(({ kind, id, name }) => (
          <Fact key={kind} name={kind === 'user' ? t`User` : t`Team`}>
            <AppLink href={`/projects/${projectId}/${kind}s/${id}`}>{name ?? id}</AppLink>
          </Fact>
        ))}
        <Fact name={t`Request`}>
          <AppLink href={auditHref(projectId, { action: event.request_id })}>
            <Trans>Open in audit log</Trans>
          </AppLink>
        </Fact>
        <Fact name={t`Event ID`}>
          <CopyField label={t`Event ID`} value={event.id} isHeading={false} />
        </Fact>
      </Facts>
      <JsonView label={t`event`} value={event} />
      <details className={classes.folded}>
        <summary>
          <Trans>Copy as curl</Trans>
        </summary>
        <CopyField label="curl" value={curlAsServer(apiUrl, projectId, `/events/${event.id}`)} isHeading={false} />
      </details>
    </div>
  );
}
