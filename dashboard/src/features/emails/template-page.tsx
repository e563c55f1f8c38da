import type { AuditClient, EmailsClient, EmailTemplate, EmailType } from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { BlockLoading, EmptyNote, ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { editableEmailTypes, emailTypeNames } from './email-types.ts';
import { TemplateEditor } from './template-editor.tsx';

type Props = { emails: EmailsClient; audit: AuditClient; projectId: string; projectName: string | undefined };

const isEditable = (type: string): type is EmailType => (editableEmailTypes as readonly string[]).includes(type);

/** The template of one type of email. */
export function TemplatePage({ type, ...props }: Props & { type: string }) {
  if (isEditable(type)) return <Known {...props} type={type} />;
  return (
    <Page title={t`Template not found`} back={backOf(props.projectId)}>
      <EmptyNote title={t`There is no such template`}>
        <Trans>Choose one on the page Emails.</Trans>
      </EmptyNote>
    </Page>
  );
}

const backOf = (projectId: string) => ({ href: `/projects/${projectId}/emails`, label: t`Emails` });

function Known({ emails, audit, projectId, projectName, type }: Props & { type: EmailType }) {
  const name = emailTypeNames[type];
  useTitle(name, t`Emails`, projectName);
  const templates = useResource(['email-templates', projectId], emails.listTemplates);
  const [isResetting, setResetting] = useState(false);
  const template = templates.value?.find((each) => each.type === type);
  return (
    <Page
      title={name}
      lead={template && (template.isDefault ? t`This is the default template.` : t`This template was customized.`)}
      back={backOf(projectId)}
      tools={
        <HistoryButton
          audit={audit}
          projectId={projectId}
          name={name}
          filters={{ targetType: 'email_template', targetId: type }}
        />
      }
      actions={
        template &&
        !template.isDefault && (
          <Button variant="default" onClick={() => setResetting(true)}>
            <Trans>Reset template</Trans>
          </Button>
        )
      }
    >
      <Loaded templates={templates}>
        {(all) => <Editor key={type} emails={emails} type={type} templates={all} refresh={templates.refresh} />}
      </Loaded>
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        title={t`Reset this template?`}
        confirmLabel={t`Reset template`}
        call={{ method: 'DELETE', path: `/email-templates/${type}` }}
        onConfirm={async () => {
          await emails.resetTemplate(type);
          await templates.refresh();
        }}
      >
        <Trans>The saved changes are replaced by the default template.</Trans>
      </ConfirmDialog>
    </Page>
  );
}

type LoadedProps = {
  templates: Resource<readonly EmailTemplate[]>;
  children: (templates: readonly EmailTemplate[]) => React.ReactNode;
};

function Loaded({ templates: { value, error, refresh, isFetching }, children }: LoadedProps) {
  return (
    <>
      {error !== undefined && (
        <ErrorNote
          title={t`The template could not be loaded`}
          error={error}
          onRetry={refresh}
          isRetrying={isFetching}
        />
      )}
      {value ? children(value) : error === undefined && <BlockLoading height={480} label={t`Loading template`} />}
    </>
  );
}

type EditorProps = {
  emails: EmailsClient;
  type: EmailType;
  templates: readonly EmailTemplate[];
  refresh: () => Promise<void>;
};

function Editor({ emails, type, templates, refresh }: EditorProps) {
  const template = templates.find((each) => each.type === type);
  if (!template) return null;
  return (
    <TemplateEditor
      template={template}
      others={templates.filter((each) => each.type !== type)}
      emails={emails}
      refresh={refresh}
    />
  );
}
