import type { AuditClient, AuditEvent } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconTrash, IconUserOff, IconUsersGroup } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { hrefAt, useMoment } from '../lib/moment.ts';
import { AppLink, LinkButton } from './app-link.tsx';
import { AuditCard } from './audit/audit-card.tsx';
import { findNeighbor, untilMoment } from './audit/audit-moments.ts';
import { describeActor } from './audit/audit-pages.ts';
import { type BackLink, Page } from './page.tsx';
import { RelativeTime } from './relative-time.tsx';
import { BlockLoading, Card, EmptyNote } from './states.tsx';

type Props = {
  audit: AuditClient;
  projectId: string;
  target: { type: 'user' | 'team'; id: string };
  back: BackLink;
  /** More about the deletion. */
  describe?: (deletion: AuditEvent) => ReactNode;
};

/** What deletes and restores. */
const deletions = {
  user: 'UserDeletionScheduled,UserDeletionCanceled,UserDeleted',
  team: 'TeamDeletionScheduled,TeamDeletionCanceled,TeamDeleted',
} as const;

/**
 * Instead of an object that is missing. If it was deleted: when and by whom, how it was just before, and its history.
 */
export function MissingObjectPage({ audit, projectId, target, back, describe }: Props) {
  const { type, id } = target;
  const moment = useMoment().value;
  const found = useResource(['deletion', projectId, type, id, moment], () => findDeletion(audit, target, moment));
  if (found.error !== undefined || found.value === null) {
    return <UnknownObjectPage {...{ projectId, type, back }} />;
  }
  const title = type === 'user' ? t`Deleted user` : t`Deleted team`;
  if (!found.value) {
    return (
      <Page title={title} back={back}>
        <BlockLoading height={200} label={type === 'user' ? t`Loading deleted user` : t`Loading deleted team`} />
      </Page>
    );
  }
  const { event, before, isErased } = found.value;
  const path = `/projects/${projectId}/${type}s/${id}`;
  return (
    <Page title={title} back={back}>
      <Card>
        <EmptyNote
          icon={<IconTrash size={22} aria-hidden />}
          title={type === 'user' ? t`This user was deleted` : t`This team was deleted`}
          action={
            before && (
              <LinkButton href={hrefAt(path, before.id)}>
                {type === 'user' ? t`View the user as they last were` : t`View the team as it last was`}
              </LinkButton>
            )
          }
        >
          {describe?.(event)}
          <Trans>
            Deleted <RelativeTime at={event.at} /> by {describeActor(event.actor, id)}.
          </Trans>{' '}
          {isErased ? (
            <Trans>The personal data is erased, also at every moment of the past.</Trans>
          ) : (
            <Trans>
              Until the end of the grace period, you can undo this under{' '}
              <AppLink href={`/projects/${projectId}/deleted-${type}s`}>
                {type === 'user' ? t`Deleted users` : t`Deleted teams`}
              </AppLink>
              . Then the personal data is erased, also at every moment of the past.
            </Trans>
          )}
        </EmptyNote>
      </Card>
      <AuditCard audit={audit} projectId={projectId} target={target} />
    </Page>
  );
}

type UnknownObjectPageProps = Pick<Props, 'projectId' | 'back'> & Pick<Props['target'], 'type'>;

function UnknownObjectPage({ projectId, type, back }: UnknownObjectPageProps) {
  const Icon = type === 'user' ? IconUserOff : IconUsersGroup;
  return (
    <Page title={type === 'user' ? t`User not found` : t`Team not found`} back={back}>
      <Card>
        <EmptyNote
          icon={<Icon size={22} aria-hidden />}
          title={type === 'user' ? t`This user does not exist` : t`This team does not exist`}
          action={
            <LinkButton href={`/projects/${projectId}/${type}s`}>
              {type === 'user' ? t`View users` : t`View teams`}
            </LinkButton>
          }
        >
          <Trans>The link may be incomplete.</Trans>
        </EmptyNote>
      </Card>
    </Page>
  );
}

type Deletion = { event: AuditEvent; before: AuditEvent | null; isErased: boolean };

/** The last deletion, and the last event of the project before it; null if it was not deleted by that moment. */
async function findDeletion(
  audit: AuditClient,
  { type, id }: Props['target'],
  moment: string | null,
): Promise<Deletion | null> {
  const filters = {
    type: deletions[type],
    targetType: type,
    targetId: id,
    ...(await untilMoment(audit, moment)),
  };
  const { items } = await audit.list({ ...filters, outcome: 'success', limit: 2 });
  const [last, earlier] = items;
  if (!last || last.type.endsWith('DeletionCanceled')) return null;
  const isErased = last.type.endsWith('Deleted');
  // With a grace period, a deletion is scheduled first, and that is when the object disappeared.
  const event = isErased && earlier?.type.endsWith('DeletionScheduled') ? earlier : last;
  return { event, before: await findNeighbor(audit, { includeTechnical: true }, event, 'desc'), isErased };
}
