import type { AuditClient, EmailsClient, EmailTemplate, EmailTemplateInput, EmailType } from '@gatebook/js/admin';
import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { useUnsaved } from '../../lib/unsaved.ts';
import { editableEmailTypes, emailTypeNames } from './email-types.ts';
import { TemplateEditor } from './template-editor.tsx';

type Props = {
  emails: EmailsClient;
  audit: AuditClient;
  projectId: string;
  templates: readonly EmailTemplate[];
  /** With the shared SMTP server, templates are read-only. */
  isShared: boolean;
  refresh: () => Promise<void>;
};

/** Editor of the templates, one type of email at a time. */
export function Templates({ emails, audit, projectId, templates, isShared, refresh }: Props) {
  const [type, setType] = useState<EmailType>('magic_link');
  /** Unsaved changes per type, so that switching types loses none. */
  const [edits, setEdits] = useState<Partial<Record<EmailType, EmailTemplateInput | null>>>({});
  useUnsaved(Object.values(edits).some((edited) => edited !== null));
  const template = templates.find((each) => each.type === type);
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Template"
          w="20rem"
          maw="100%"
          value={type}
          data={editableEmailTypes.map((value) => ({ value, label: emailTypeNames[value] }))}
          onChange={(event) => setType(event.currentTarget.value as EmailType)}
        />
        <HistoryButton
          audit={audit}
          projectId={projectId}
          name={emailTypeNames[type]}
          filters={{ targetType: 'email_template', targetId: type }}
        />
      </Group>
      {isShared && (
        <Text size="sm" c="dimmed">
          {template?.isDefault ? 'This is the default template.' : 'Your custom template stays in use.'} To edit
          templates, set up your own SMTP server in the{' '}
          <AppLink href={`/projects/${projectId}/settings/email`} inherit>
            settings
          </AppLink>
          .
        </Text>
      )}
      {template && (
        <TemplateEditor
          key={type}
          template={template}
          edited={edits[type] ?? null}
          setEdited={(draft) => setEdits((others) => ({ ...others, [type]: draft }))}
          isReadOnly={isShared}
          preview={(draft) => emails.preview(type, draft)}
          save={async (draft) => {
            await emails.updateTemplate(type, draft);
            await refresh();
          }}
          reset={async () => {
            await emails.resetTemplate(type);
            await refresh();
          }}
        />
      )}
    </Stack>
  );
}
