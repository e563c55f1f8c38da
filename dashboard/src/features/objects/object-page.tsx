import type { AuditClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconHistory, IconTrash } from '@tabler/icons-react';
import { LinkButton } from '../../components/app-link.tsx';
import { AuditCard } from '../../components/audit/audit-card.tsx';
import { describeActor } from '../../components/audit/audit-pages.ts';
import { auditHref } from '../../components/audit/audit-search.ts';
import { type ObjectType, templateHrefOf } from '../../components/audit/target-pages.ts';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { BlockLoading, Card, EmptyNote, ErrorNote } from '../../components/states.tsx';
import { hrefAt } from '../../lib/moment.ts';
import { useTitle } from '../../lib/use-title.ts';
import { type FoundObject, findObject } from './find-end.ts';
import { LastState, type PastClient } from './last-state.tsx';

type Props = {
  audit: AuditClient;
  projectId: string;
  projectName: string | undefined;
  object: { type: ObjectType; id: string };
  /** The project as it was at a moment. */
  at: (moment: string) => PastClient;
};

const kinds: Readonly<Record<ObjectType, { title: string; ended: string; exists: string; manage: string }>> = {
  project_key: {
    title: t`Project key`,
    ended: t`This project key was revoked`,
    exists: t`This project key is not revoked`,
    manage: t`View project keys`,
  },
  api_key: {
    title: t`API key`,
    ended: t`This API key was revoked`,
    exists: t`This API key is not revoked`,
    manage: t`View the owner`,
  },
  permission: {
    title: t`Permission`,
    ended: t`This permission was deleted`,
    exists: t`This permission exists`,
    manage: t`View permissions`,
  },
  email_template: {
    title: t`Email template`,
    ended: t`This email template was reset`,
    exists: t`This email template is in use`,
    manage: t`View the template`,
  },
};

/** The page of an object that can be gone: what it was, when and by whom it was deleted, and its history. */
export function ObjectPage({ audit, projectId, projectName, object, at }: Props) {
  const { type, id } = object;
  const { title } = kinds[type];
  const found = useResource(['object', projectId, type, id], () => findObject(audit, type, id));
  const name = found.value?.name ?? null;
  useTitle(name ?? title, projectName);
  return (
    <Page
      title={name === null ? title : `${title} ${name}`}
      lead={<code>{id}</code>}
      back={{ href: auditHref(projectId, {}), label: t`Audit log` }}
    >
      {found.error !== undefined && (
        <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
      )}
      {found.error === undefined && found.value === undefined && (
        <BlockLoading height={200} label={t`Loading object`} />
      )}
      {found.value === null && (
        <EmptyNote icon={<IconHistory size={22} aria-hidden />} title={t`The audit log does not know this object`} />
      )}
      {found.value && (
        <>
          <Card>
            <State found={found.value} projectId={projectId} object={object} />
          </Card>
          {found.value.end?.before && (
            <LastState
              audit={audit}
              projectId={projectId}
              object={object}
              owner={found.value.owner}
              end={{ event: found.value.end.event, before: found.value.end.before }}
              at={at}
            />
          )}
          <AuditCard audit={audit} projectId={projectId} target={object} />
        </>
      )}
    </Page>
  );
}

type StateProps = { found: FoundObject } & Pick<Props, 'projectId' | 'object'>;

function State({ found: { end, owner }, projectId, object: { type, id } }: StateProps) {
  const kind = kinds[type];
  if (end === null) {
    const href = manageHref(projectId, { type, id }, owner);
    return (
      <EmptyNote
        icon={<IconHistory size={22} aria-hidden />}
        title={kind.exists}
        action={href !== null && <LinkButton href={href}>{kind.manage}</LinkButton>}
      >
        <Trans>Its history is below.</Trans>
      </EmptyNote>
    );
  }
  const { event, before } = end;
  return (
    <EmptyNote
      icon={<IconTrash size={22} aria-hidden />}
      title={kind.ended}
      action={
        type === 'email_template' &&
        before && (
          <LinkButton href={hrefAt(templateHrefOf(projectId, id), before.id)}>
            <Trans>View the template as it last was</Trans>
          </LinkButton>
        )
      }
    >
      {event.text} · <RelativeTime at={event.at} />
      {t` · by `}
      {describeActor(event.actor)}
    </EmptyNote>
  );
}

function manageHref(projectId: string, { type, id }: Props['object'], owner: FoundObject['owner']): string | null {
  switch (type) {
    case 'project_key':
      return `/projects/${projectId}/settings/keys`;
    case 'api_key':
      return owner && `/projects/${projectId}/${owner.type}s/${owner.id}`;
    case 'permission':
      return `/projects/${projectId}/permissions`;
    case 'email_template':
      return templateHrefOf(projectId, id);
  }
}
