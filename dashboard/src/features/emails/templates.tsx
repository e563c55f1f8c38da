import type { EmailsClient, EmailTemplate, EmailTemplateInput, EmailType } from '@gatebook/js/emails';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { emailKinds, emailTypes } from './kinds.ts';
import { TemplateEditor } from './template-editor.tsx';

type Props = {
  emails: EmailsClient;
  templates: readonly EmailTemplate[];
  /** With Gatebook's mail server the draft is Gatebook's. */
  isShared: boolean;
  refresh: () => Promise<void>;
};

/** What mails say, one kind at a time. */
export function Templates({ emails, templates, isShared, refresh }: Props) {
  const [type, setType] = useState<EmailType>('magic_link');
  /** Unsaved, so that a look at another kind loses nothing. */
  const [edits, setEdits] = useState<Partial<Record<EmailType, EmailTemplateInput | null>>>({});
  const template = templates.find((each) => each.type === type);
  return (
    <Stack gap="md">
      <NativeSelect
        label="Template"
        maw="20rem"
        value={type}
        data={emailTypes.map((value) => ({ value, label: emailKinds[value] }))}
        onChange={(event) => setType(event.currentTarget.value as EmailType)}
      />
      {isShared && (
        <Text size="sm" c="dimmed">
          {template?.isDefault ? 'This is Gatebook’s own draft.' : 'This wording of yours stays in use.'} To change it,
          let mails leave through a server of your own, below.
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
