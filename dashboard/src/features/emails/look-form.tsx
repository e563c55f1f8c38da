import type { EmailContent, EmailLanguage, EmailsClient, EmailTemplateInput, EmailType } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { emailTypeNames } from './email-types.ts';
import classes from './emails.module.css';
import { FieldInput } from './field-input.tsx';
import { languageNames } from './languages.ts';
import { type Look, lookFault, lookFields, readLook, withLook } from './look.ts';

/** A version whose look can be set from here. `saved` is absent where it has to be read first. */
export type OtherVersion = {
  type: EmailType;
  language: EmailLanguage | null;
  isEdited: boolean;
  saved?: EmailTemplateInput;
};

type LookFormProps = {
  content: EmailContent;
  change: (content: EmailContent) => void;
  /** All edited versions but this one, and the default versions that are not edited. */
  others: readonly OtherVersion[];
  emails: EmailsClient;
  refresh: () => Promise<void>;
};

/** Edits the logo, the colors and the font of an email, and copies them to the others. */
export function LookForm({ content, change, others, emails, refresh }: LookFormProps) {
  const [isCopying, setCopying] = useState(false);
  const [includesUnedited, setIncluding] = useState(false);
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
  const edited = others.filter(({ isEdited }) => isEdited);
  const unedited = others.filter(({ isEdited }) => !isEdited);
  return (
    <Stack gap="sm">
      {logo && input(logo)}
      <div className={classes.pairs}>{rest.map(input)}</div>
      <Button
        variant="default"
        size="compact-sm"
        disabled={hasFault}
        className={classes.start}
        onClick={() => {
          setIncluding(false);
          setCopying(true);
        }}
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
          await copyLook(look, includesUnedited ? others : edited, emails).finally(refresh);
        }}
      >
        <Stack gap="sm">
          <span>
            <Trans>
              {edited.length > 0
                ? t`The logo, colors and font that are set here are saved at once in ${namesOfVersions(edited)}. Texts and other blocks stay.`
                : t`No other template is edited yet.`}{' '}
              This version is saved with its other changes.
            </Trans>
          </span>
          {unedited.length > 0 && (
            <Checkbox
              checked={includesUnedited}
              onChange={() => setIncluding(!includesUnedited)}
              label={t`Also save in templates that are not edited: ${namesOfVersions(unedited)}. Their default versions, in English, then replace the built-in texts of all languages.`}
            />
          )}
        </Stack>
      </ConfirmDialog>
    </Stack>
  );
}

const namesOfVersions = (versions: readonly OtherVersion[]): string =>
  versions
    .map(({ type, language }) => emailTypeNames[type] + (language === null ? '' : t` in ${languageNames[language]}`))
    .join(', ');

/** Copies what is set; the rest of the other versions stays, such as images at their top. */
async function copyLook(look: Look, versions: readonly OtherVersion[], emails: EmailsClient): Promise<void> {
  const set: Partial<Look> = Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined));
  const withSet = ({ subject, content }: EmailTemplateInput) => ({ subject, content: withLook(content, set) });
  for (const { type, language, saved } of versions) {
    if (language !== null) {
      const template = withSet(saved ?? (await emails.getTemplateVersion(type, language)));
      await emails.updateTemplateVersion(type, language, template);
    } else if (saved) {
      await emails.updateTemplate(type, withSet(saved));
    }
  }
}

/** A note for templates whose blocks are not a tree. */
export function SourceOnlyNote() {
  return (
    <Text size="sm" c="dimmed">
      <Trans>This template has no layout, or contains a block twice. It can only be edited in its source.</Trans>
    </Text>
  );
}
