import type { ExplanationsClient, Rejection } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { AppLink } from '../../components/app-link.tsx';
import { describeActor } from '../../components/audit/audit-pages.ts';
import { auditHref } from '../../components/audit/audit-search.ts';
import { Explanation } from '../../components/explanations/explanation.tsx';
import classes from '../../components/explanations/explanations.module.css';
import { Fact, Facts } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { formatZonedTime } from '../../lib/format.ts';
import { useTitle } from '../../lib/use-title.ts';

type RejectionPageProps = {
  explanations: Pick<ExplanationsClient, 'rejection'>;
  projectId: string;
  projectName: string | undefined;
  requestId: string;
};

/** Why a request was rejected. */
export function RejectionPage({ explanations, projectId, projectName, requestId }: RejectionPageProps) {
  useTitle(t`Rejected request`, projectName);
  const found = useResource(['rejection', projectId, requestId], () => explanations.rejection(requestId));
  return (
    <Page
      title={t`Rejected request`}
      lead={<code>{requestId}</code>}
      back={{ href: auditHref(projectId, {}), label: t`Audit log` }}
      isNarrow
    >
      {found.error !== undefined && (
        <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
      )}
      {found.error === undefined && !found.value && <BlockLoading height={200} label={t`Loading request`} />}
      {found.value && <FoundRejection rejection={found.value} projectId={projectId} />}
    </Page>
  );
}

function FoundRejection({ rejection, projectId }: { rejection: Rejection; projectId: string }) {
  const { precision, errorCode, status, route, at, caller, window, checks, permissionExplanation } = rejection;
  return (
    <>
      <Card>
        {precision === 'window' && (
          <p className={classes.note}>
            <Trans>
              Too many requests were rejected at that time to keep each one. This is what is known of those like it.
            </Trans>
          </p>
        )}
        <Facts>
          <Fact name={t`Error`}>{errorCode && <code>{errorCode}</code>}</Fact>
          <Fact name={t`Status`}>{status}</Fact>
          <Fact name={t`Route`}>{route && <code>{route}</code>}</Fact>
          <Fact name={t`Time`}>{at && formatZonedTime(at)}</Fact>
          <Fact name={t`Called by`}>{caller.actor && describeActor({ ...caller.actor, isErased: false })}</Fact>
          <Fact name={t`Account`}>
            {caller.userId && <AppLink href={`/projects/${projectId}/users/${caller.userId}`}>{caller.userId}</AppLink>}
          </Fact>
          <Fact name={t`Network`}>{caller.network}</Fact>
        </Facts>
        {window && (
          <ul className={classes.counts}>
            {window.rejections.map((each) => (
              <li key={`${each.errorCode} ${each.route}`}>
                <Trans>
                  <code>{each.errorCode}</code> {plural(each.count, { one: '# time', other: '# times' })} within five
                  minutes
                </Trans>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {checks.length > 0 && (
        <Card title={t`Checks`} labelId="checks-title">
          <ol className={classes.steps}>
            {checks.map(({ name, passed, detail }) => (
              <li key={name} data-holds={passed !== false}>
                {passed === null && <IconMinus size={16} aria-label={t`Not checked`} />}
                {passed === true && <IconCheck size={16} aria-label={t`Passed`} />}
                {passed === false && <IconX size={16} aria-label={t`Failed`} />}
                <div>
                  {name}
                  <small>{detail}</small>
                </div>
              </li>
            ))}
          </ol>
        </Card>
      )}
      {permissionExplanation && (
        <Card title={t`Permission`} labelId="permission-title">
          <Explanation explanation={permissionExplanation} projectId={projectId} />
        </Card>
      )}
    </>
  );
}
