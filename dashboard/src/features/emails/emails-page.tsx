import type { EmailsClient, Project } from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AppLink } from '../../components/app-link.tsx';
import { Page } from '../../components/page.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { SentEmails } from './sent-emails.tsx';
import { Templates } from './templates.tsx';
import { UndeliveredEmails } from './undelivered-emails.tsx';

type Props = {
  emails: EmailsClient;
  projectId: string;
  project: Resource<Project>;
};

export function EmailsPage({ emails, projectId, project }: Props) {
  useTitle(t`Emails`, project.value?.displayName);
  const templates = useResource(['email-templates', projectId], emails.listTemplates);
  const texts = useResource(['email-template-texts', projectId], emails.listTemplateTexts);
  const sent = usePagedList(['sent-emails', projectId], emails.listSent);
  const undelivered = usePagedList(['undelivered-emails', projectId], emails.listUndelivered);
  const failed = [project, templates, texts, sent, undelivered].filter(({ error }) => error !== undefined);
  const refreshLists = async () => {
    await Promise.all([sent.refresh(), undelivered.refresh()]);
  };
  return (
    <Page
      title={t`Emails`}
      lead={
        <Trans>
          Email templates and delivery log of this project. The sender is in the{' '}
          <AppLink href={`/projects/${projectId}/settings/email`}>settings</AppLink>.
        </Trans>
      }
    >
      {failed[0] && (
        <ErrorNote
          title={t`Some data could not be loaded`}
          error={failed[0].error}
          onRetry={async () => {
            await Promise.all(failed.map(({ refresh }) => refresh()));
          }}
          isRetrying={failed.some(({ isFetching }) => isFetching)}
        />
      )}
      {undelivered.value && (undelivered.value.length > 0 || undelivered.pager) && (
        <Card title={t`Undelivered emails`} labelId="undelivered-title" flush>
          <UndeliveredEmails
            emails={undelivered.value}
            retry={async (emailId) => {
              await emails.retry(emailId);
              await refreshLists();
            }}
          />
          {undelivered.pager}
        </Card>
      )}
      {!isMissing(templates) && (
        <Card title={t`Templates`} labelId="templates-title" flush>
          {templates.value ? (
            <Templates projectId={projectId} templates={templates.value} texts={texts.value ?? []} />
          ) : (
            <RowsLoading rows={4} label={t`Loading templates`} />
          )}
        </Card>
      )}
      {!isMissing(sent) && (
        <Card title={t`Sent emails`} labelId="sent-title" flush>
          {sent.value ? <SentEmails emails={sent.value} /> : <RowsLoading rows={4} label={t`Loading sent emails`} />}
          {sent.pager}
        </Card>
      )}
    </Page>
  );
}

/** The error note above says so. */
const isMissing = ({ value, error }: { value: unknown; error: unknown }): boolean =>
  value === undefined && error !== undefined;
