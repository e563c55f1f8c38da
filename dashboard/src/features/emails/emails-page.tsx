import type { EmailsClient } from '@gatebook/js/emails';
import type { Project, ProjectClient } from '@gatebook/js/projects';
import { type Resource, useResource } from '@gatebook/react/use-resource';
import { Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { SenderForm } from './sender-form.tsx';
import { SentEmails } from './sent-emails.tsx';
import { Templates } from './templates.tsx';
import { UndeliveredEmails } from './undelivered-emails.tsx';

type Props = { emails: EmailsClient; client: ProjectClient; projectId: string; project: Resource<Project> };

export function EmailsPage({ emails, client, projectId, project }: Props) {
  useTitle('E-mails', project.value?.displayName);
  const templates = useResource(['email-templates', projectId], emails.listTemplates);
  const sent = useResource(['sent-emails', projectId], emails.listSent);
  const undelivered = useResource(['undelivered-emails', projectId], emails.listUndelivered);
  const failed = [project, templates, sent, undelivered].find(({ error }) => error !== undefined);
  const refreshLists = async () => {
    await Promise.all([sent.refresh(), undelivered.refresh()]);
  };
  return (
    <Page title="E-mails" lead="What this project writes to people, and through which server it leaves.">
      {failed && (
        <ErrorNote
          title="Not everything could be loaded"
          error={failed.error}
          onRetry={failed.refresh}
          isRetrying={failed.isFetching}
        />
      )}
      {undelivered.value && undelivered.value.length > 0 && (
        <Card title="Not delivered" labelId="undelivered-title" flush>
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
            templates={templates.value}
            isShared={project.value.config.emailConfig.type === 'shared'}
            refresh={templates.refresh}
          />
        ) : (
          <BlockLoading height={360} label="Loading templates" />
        )}
      </Card>
      <Card title="Mail server" labelId="server-title">
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
          <BlockLoading height={120} label="Loading the mail server" />
        )}
      </Card>
      <Card title="Sent" labelId="sent-title" flush>
        {sent.value ? <SentEmails emails={sent.value} /> : <RowsLoading rows={4} label="Loading sent e-mails" />}
      </Card>
    </Page>
  );
}
