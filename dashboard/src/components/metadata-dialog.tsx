import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { parseJsonText, toJsonText } from '../lib/json-text.ts';
import { DialogForm } from './dialog-form.tsx';
import { FormDialog } from './form-dialog.tsx';
import { JsonEditor, jsonTextFault } from './json-editor.tsx';
import {
  type FieldName,
  type MetadataChanges,
  type MetadataOwner,
  type MetadataProps,
  metadataFields,
} from './metadata-fields.ts';

/** The API’s limit for one field of metadata. */
const MAX_BYTES = 65_536;

export function MetadataDialog({ isOpen, ...form }: MetadataProps & { isOpen: boolean; onClose: () => void }) {
  return (
    <FormDialog opened={isOpen} onClose={form.onClose} title={t`Edit metadata`} size="lg">
      <MetadataForm {...form} />
    </FormDialog>
  );
}

function MetadataForm({ owner: latest, reader, update, onClose }: MetadataProps & { onClose: () => void }) {
  // A change by somebody else meanwhile is not one of this form.
  const [owner] = useState(latest);
  const [texts, setTexts] = useState(() => ({
    clientMetadata: toJsonText(owner.clientMetadata),
    clientReadOnlyMetadata: toJsonText(owner.clientReadOnlyMetadata),
    serverMetadata: toJsonText(owner.serverMetadata),
  }));
  const isFaulty = Object.values(texts).some((text) => jsonTextFault(text, MAX_BYTES) !== null);
  const action = useAction(() => update(changesOf(owner, texts)));
  return (
    <DialogForm action={action} submitLabel={t`Save`} isDisabled={isFaulty} onDone={onClose} onClose={onClose}>
      {metadataFields.map(({ name, label, access }) => (
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
    </DialogForm>
  );
}

/** Only the changed fields, so that concurrent changes to other fields are kept. */
function changesOf(owner: MetadataOwner, texts: Readonly<Record<FieldName, string>>): MetadataChanges {
  return Object.fromEntries(
    metadataFields.flatMap(({ name }) => {
      const { value } = parseJsonText(texts[name]);
      return JSON.stringify(value) === JSON.stringify(owner[name] ?? null) ? [] : [[name, value]];
    }),
  );
}
