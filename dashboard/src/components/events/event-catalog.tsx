import type { EventTypeDescription } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { AppLink } from '../app-link.tsx';
import { Card } from '../states.tsx';
import { eventsHref } from './event-search.ts';
import classes from './events.module.css';
import { JsonView } from './json-view.tsx';

/** By the tag of their types. */
const groupNames: Readonly<Record<string, string>> = {
  Users: t`Users`,
  Teams: t`Teams`,
  Sessions: t`Sessions`,
  'API keys': t`API keys`,
  Project: t`Project`,
};

/** Types of events by group, each with an example and its schema. */
export function EventCatalog({ types, projectId }: { types: readonly EventTypeDescription[]; projectId: string }) {
  const groups = [...new Set(types.map(({ tags }) => tags[0] ?? t`Others`))];
  return (
    <div className={classes.catalog}>
      {groups.map((group) => (
        <Card key={group} title={groupNames[group] ?? group} flush>
          {types
            .filter(({ tags }) => (tags[0] ?? t`Others`) === group)
            .map((type) => (
              <Definition key={type.type} definition={type} projectId={projectId} />
            ))}
        </Card>
      ))}
    </div>
  );
}

/** Names in backticks, as code. */
const withCode = (text: string) =>
  text.split('`').map((part, place) => (place % 2 === 0 ? part : <code key={part}>{part}</code>));

function Definition({ definition, projectId }: { definition: EventTypeDescription; projectId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { type, description, example, schema } = definition;
  return (
    <details className={classes.definition} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={classes.type}>{type}</span>
        <span>{withCode(description)}</span>
      </summary>
      {isOpen && (
        <div className={classes.definitionBody}>
          <JsonView label={t`example of ${type}`} value={example} />
          <details className={classes.folded}>
            <summary>
              <Trans>JSON Schema</Trans>
            </summary>
            <JsonView label={t`JSON Schema of ${type}`} value={schema} />
          </details>
          <AppLink size="sm" href={eventsHref(projectId, { types: type })}>
            <Trans>Show these events</Trans>
          </AppLink>
        </div>
      )}
    </details>
  );
}
