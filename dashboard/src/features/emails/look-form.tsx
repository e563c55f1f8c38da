import type { EmailContent, EmailsClient, EmailTemplate } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { emailTypeNames } from './email-types.ts';
import classes from './emails.module.css';
import { FieldInput } from './field-input.tsx';
import { type Look, lookFault, lookFields, readLook, withLook } from './look.ts';

type LookFormProps = {
  content: EmailContent;
  change: (content: EmailContent) => void;
  /** The saved templates of the other types. */
  others: readonly EmailTemplate[];
  updateTemplate: EmailsClient['updateTemplate'];
  refresh: () => Promise<void>;
};

/** Edits the logo, the colors and the font of an email, and copies them to the others. */
export function LookForm({ content, change, others, updateTemplate, refresh }: LookFormProps) {
  const [isCopying, setCopying] = useState(false);
  const look = readLook(content);
  const input = (field: (typeof lookFields)[number]) => (
    <FieldInput
      key={field.name}
      field={field}
      value={look[field.name]}
      change={(value) => change(withLook(content, { [field.name]: value as string | undefined }))}
    />
  );
  const [logo, ...rest] = lookFields;
  const hasFault = lookFields.some(({ name }) => lookFault(name, look[name]) !== null);
  return (
    <Stack gap="sm">
      {logo && input(logo)}
      <div className={classes.pairs}>{rest.map(input)}</div>
      <Button
        variant="default"
        size="compact-sm"
        disabled={hasFault}
        className={classes.start}
        onClick={() => setCopying(true)}
      >
        <Trans>Use in all templates</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isCopying}
        onClose={() => setCopying(false)}
        title={t`Use this look in all templates?`}
        confirmLabel={t`Save in all templates`}
        color="verdigris"
        onConfirm={async () => {
          await copyLook(look, others, updateTemplate).finally(refresh);
        }}
      >
        <Trans>
          The logo, colors and font that are set here are saved at once in{' '}
          {others.map(({ type }) => emailTypeNames[type]).join(', ')}. Texts and other blocks stay. This template is
          saved with its other changes.
        </Trans>
      </ConfirmDialog>
    </Stack>
  );
}

/** Copies what is set; the rest of the other templates stays, such as images at their top. */
async function copyLook(
  look: Look,
  templates: readonly EmailTemplate[],
  updateTemplate: EmailsClient['updateTemplate'],
): Promise<void> {
  const set: Partial<Look> = Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined));
  for (const { type, subject, content } of templates) {
    await updateTemplate(type, { subject, content: withLook(content, set) });
  }
}

/** A note for templates whose blocks are no tree. */
export function SourceOnlyNote() {
  return (
    <Text size="sm" c="dimmed">
      <Trans>This template has no layout, or contains a block twice. It can only be edited in its source.</Trans>
    </Text>
  );
}
