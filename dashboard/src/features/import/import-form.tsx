import type { ImportOptions, ImportSource } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, InputWrapper, NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Card } from '../../components/states.tsx';
import classes from './import.module.css';
import { sources } from './texts.ts';

type Values = {
  source: ImportSource;
  file: File | null;
  hasNewIds: boolean;
  signerKey: string;
  saltSeparator: string;
  rounds: string;
  memCost: string;
};
type Props = { onSubmit: (chosen: { file: File; options: Omit<ImportOptions, 'isDryRun'> }) => void };

const needsBoth = (own: string, other: string) => (own === '' && other !== '' ? t`Enter both, or neither` : null);
const wholeNumber = (text: string) => (/^[1-9]\d{0,3}$/.test(text) ? null : t`Enter a whole number`);

export function ImportForm({ onSubmit }: Props) {
  const form = useForm<Values>({
    initialValues: {
      source: 'auth0',
      file: null,
      hasNewIds: false,
      signerKey: '',
      saltSeparator: '',
      rounds: '8',
      memCost: '14',
    },
    validate: {
      file: (file) => (file === null ? t`Choose a file` : null),
      signerKey: (key, { saltSeparator }) => needsBoth(key, saltSeparator),
      saltSeparator: (separator, { signerKey }) => needsBoth(separator, signerKey),
      rounds: wholeNumber,
      memCost: wholeNumber,
    },
  });
  const { source, file, hasNewIds, signerKey, saltSeparator, rounds, memCost } = form.values;
  const chosen = sources.find(({ id }) => id === source);
  const submit = () => {
    const hash = { signerKey, saltSeparator, rounds: Number(rounds), memCost: Number(memCost) };
    const firebaseHash = source === 'firebase' && signerKey !== '' ? hash : null;
    if (file) onSubmit({ file, options: { source, hasNewIds, firebaseHash } });
  };
  return (
    <Card title={t`Exported users`} labelId="export-title">
      <form onSubmit={form.onSubmit(submit)} className={classes.form} noValidate>
        <NativeSelect
          label={t`Where the users come from`}
          data={sources.map(({ id, name }) => ({ value: id, label: name }))}
          description={chosen?.file}
          {...form.getInputProps('source')}
        />
        <InputWrapper label={t`File`} labelProps={{ htmlFor: 'import-file' }} error={form.errors.file}>
          <input
            id="import-file"
            type="file"
            accept=".json,.ndjson,.jsonl,.csv,.txt"
            className={classes.file}
            onChange={({ target }) => form.setFieldValue('file', target.files?.[0] ?? null)}
          />
        </InputWrapper>
        {source === 'firebase' && (
          <>
            <TextInput
              label={t`Base64 signer key`}
              description={t`From the password hash parameters in the Firebase console. Without it, passwords are left out.`}
              {...form.getInputProps('signerKey')}
            />
            <TextInput label={t`Base64 salt separator`} {...form.getInputProps('saltSeparator')} />
            <div className={classes.pair}>
              <TextInput label={t`Rounds`} inputMode="numeric" {...form.getInputProps('rounds')} />
              <TextInput label={t`Memory cost`} inputMode="numeric" {...form.getInputProps('memCost')} />
            </div>
          </>
        )}
        <Checkbox
          label={t`Give every user a new ID`}
          description={t`Needed if another project of this server has the same users.`}
          {...form.getInputProps('hasNewIds', { type: 'checkbox' })}
        />
        <div>
          <Button type="submit">
            <Trans>Check file</Trans>
          </Button>
          <Text size="sm" c="dimmed" mt="xs">
            <Trans>
              The file is read in this browser and sent in parts. Nothing is written until you confirm. To import teams,
              use <code>gatebook import</code> on the command line.
            </Trans>
          </Text>
        </div>
      </form>
    </Card>
  );
}
