import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { parseJsonText, toJsonText } from '../lib/json-text.ts';
import { DialogButtons } from './dialog-buttons.tsx';
import { FormDialog } from './form-dialog.tsx';
import { JsonEditor, jsonTextFault } from './json-editor.tsx';
import { ScrolledText } from './scrolled-text.tsx';
import { Card } from './states.tsx';

/** The API’s limit for one field of metadata. */
const MAX_BYTES = 65_536;

type FieldName = 'clientMetadata' | 'clientReadOnlyMetadata' | 'serverMetadata';
type Owner = Readonly<Record<FieldName, unknown>>;
export type MetadataChanges = { [Name in FieldName]?: ReturnType<typeof JSON.parse> };
type Props = {
  owner: Owner;
  /** Who reads the client's metadata, as in a sentence. */
  reader: string;
  update: (changes: MetadataChanges) => Promise<unknown>;
};

const fields = [
  {
    name: 'clientMetadata',
    label: t`Client metadata`,
    access: (reader: string) => t`${reader} can read and write this`,
  },
  {
    name: 'clientReadOnlyMetadata',
    label: t`Client read-only metadata`,
    access: (reader: string) => t`${reader} can read this`,
  },
  { name: 'serverMetadata', label: t`Server metadata`, access: () => t`Only servers can see this` },
] as const;

/** The metadata of a user or a team, and a dialog that changes it. */
export function MetadataCard({ owner, reader, update }: Props) {
  const [isEditing, setEditing] = useState(false);
  const close = (): void => setEditing(false);
  const filled = fields.filter(({ name }) => owner[name] !== null && owner[name] !== undefined);
  return (
    <Card
      title={t`Metadata`}
      labelId="metadata-title"
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setEditing(true)}>
          <Trans>Edit metadata</Trans>
        </Button>
      }
    >
      {filled.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No metadata</Trans>
        </Text>
      )}
      <Stack gap="md">
        {filled.map(({ name, label }) => (
          <div key={name}>
            <Text size="sm" c="dimmed" mb="0.375rem">
              {label}
            </Text>
            <ScrolledText label={label}>{toJsonText(owner[name])}</ScrolledText>
          </div>
        ))}
      </Stack>
      <FormDialog opened={isEditing} onClose={close} title={t`Edit metadata`} size="lg">
        <MetadataForm owner={owner} reader={reader} update={update} onClose={close} />
      </FormDialog>
    </Card>
  );
}

function MetadataForm({ owner: latest, reader, update, onClose }: Props & { onClose: () => void }) {
  // A change by somebody else meanwhile is not one of this form.
  const [owner] = useState(latest);
  const [texts, setTexts] = useState(() => ({
    clientMetadata: toJsonText(owner.clientMetadata),
    clientReadOnlyMetadata: toJsonText(owner.clientReadOnlyMetadata),
    serverMetadata: toJsonText(owner.serverMetadata),
  }));
  const isFaulty = Object.values(texts).some((text) => jsonTextFault(text, MAX_BYTES) !== null);
  const action = useAction(() => update(changesOf(owner, texts)));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isFaulty && (await action.run())) onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        {fields.map(({ name, label, access }) => (
          <JsonEditor
            key={name}
            label={label}
            description={t`JSON. ${access(reader)}.`}
            text={texts[name]}
            onChange={(text) => setTexts({ ...texts, [name]: text })}
            saved={owner[name]}
            maxBytes={MAX_BYTES}
          />
        ))}
        <DialogButtons action={action} submitLabel={t`Save`} isDisabled={isFaulty} onClose={onClose} />
      </Stack>
    </form>
  );
}

/** Only the changed fields, so that concurrent changes to other fields are kept. */
function changesOf(owner: Owner, texts: Readonly<Record<FieldName, string>>): MetadataChanges {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const { value } = parseJsonText(texts[name]);
      return JSON.stringify(value) === JSON.stringify(owner[name] ?? null) ? [] : [[name, value]];
    }),
  );
}
