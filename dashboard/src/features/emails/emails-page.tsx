import type { AuditClient, EmailsClient, Project, ProjectClient } from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { SenderForm } from './sender-form.tsx';
import { SentEmails } from './sent-emails.tsx';
import { Templates } from './templates.tsx';
import { UndeliveredEmails } from './undelivered-emails.tsx';

type Props = {
  emails: EmailsClient;
  audit: AuditClient;
  client: ProjectClient;
  projectId: string;
  project: Resource<Project>;
};

export function EmailsPage({ emails, audit, client, projectId, project }: Props) {
  useTitle('Emails', project.value?.displayName);
  const templates = useResource(['email-templates', projectId], emails.listTemplates);
  const sent = useResource(['sent-emails', projectId], emails.listSent);
  const undelivered = useResource(['undelivered-emails', projectId], emails.listUndelivered);
  const failedResource = [project, templates, sent, undelivered].find(({ error }) => error !== undefined);
  const refreshLists = async () => {
    await Promise.all([sent.refresh(), undelivered.refresh()]);
  };
  return (
    <Page title="Emails" lead="Email templates, sender and delivery log of this project.">
      {failedResource && (
        <ErrorNote
          title="Some data could not be loaded"
          error={failedResource.error}
          onRetry={failedResource.refresh}
          isRetrying={failedResource.isFetching}
        />
      )}
      {undelivered.value && undelivered.value.length > 0 && (
        <Card title="Undelivered emails" labelId="undelivered-title" flush>
          <UndeliveredEmails
            emails={undelivered.value}
            retry={async (emailId) => {
              await emails.retry(emailId);
              await refreshLists();
            }}
          />
        </Card>
      )}
      <Card title="Templates" labelId="templates-title">
        {templates.value && project.value ? (
          <Templates
            emails={emails}
            audit={audit}
            projectId={projectId}
            templates={templates.value}
            isShared={project.value.config.emailConfig.type === 'shared'}
            refresh={templates.refresh}
          />
        ) : (
          <BlockLoading height={360} label="Loading templates" />
        )}
      </Card>
      <Card title="Sender" labelId="sender-title">
        {project.value ? (
          <SenderForm
            key={projectId}
            config={project.value.config.emailConfig}
            save={async (emailConfig) => {
              await client.update({ config: { emailConfig } });
              await project.refresh();
            }}
            sendTest={async (recipient, server) => {
              const reason = await emails.sendTest(recipient, server);
              await sent.refresh();
              return reason;
            }}
          />
        ) : (
          <BlockLoading height={120} label="Loading sender" />
        )}
      </Card>
      <Card title="Sent emails" labelId="sent-title" flush>
        {sent.value ? <SentEmails emails={sent.value} /> : <RowsLoading rows={4} label="Loading sent emails" />}
      </Card>
    </Page>
  );
}
