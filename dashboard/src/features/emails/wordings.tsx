import type { EmailsClient, EmailTemplate, EmailType, EmailWording } from '@gatebook/sdk/emails';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { emailKinds, emailTypes } from './kinds.ts';
import { WordingEditor } from './wording-editor.tsx';

type Props = {
  emails: EmailsClient;
  templates: readonly EmailTemplate[];
  /** With Gatebook's mail server the wording is Gatebook's. */
  isShared: boolean;
  refresh: () => Promise<void>;
};

/** What mails say, one kind at a time. */
export function Wordings({ emails, templates, isShared, refresh }: Props) {
  const [type, setType] = useState<EmailType>('magic_link');
  /** Unsaved, so that a look at another kind loses nothing. */
  const [edits, setEdits] = useState<Partial<Record<EmailType, EmailWording | null>>>({});
  const template = templates.find((each) => each.type === type);
  return (
    <Stack gap="md">
      <NativeSelect
        label="Kind of mail"
        maw="20rem"
        value={type}
        data={emailTypes.map((value) => ({ value, label: emailKinds[value] }))}
        onChange={(event) => setType(event.currentTarget.value as EmailType)}
      />
      {isShared && (
        <Text size="sm" c="dimmed">
          {template?.isDefault ? 'This is Gatebook’s own wording.' : 'This wording of yours stays in use.'} To change
          it, let mails leave through a server of your own, below.
        </Text>
      )}
      {template && (
        <WordingEditor
          key={type}
          template={template}
          edited={edits[type] ?? null}
          setEdited={(wording) => setEdits((others) => ({ ...others, [type]: wording }))}
          isReadOnly={isShared}
          preview={(wording) => emails.preview(type, wording)}
          save={async (wording) => {
            await emails.updateTemplate(type, wording);
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
