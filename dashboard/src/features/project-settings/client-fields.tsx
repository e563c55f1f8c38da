import { t } from '@lingui/core/macro';
import { PasswordInput, TextInput } from '@mantine/core';
import type { useForm } from '@mantine/form';

type Form = Pick<ReturnType<typeof useForm<{ clientId: string; clientSecret: string }>>, 'getInputProps'>;

/** What the provider gave out for this project. */
export function ClientFields({ form }: { form: Form }) {
  return (
    <>
      <TextInput label={t`Client ID`} autoComplete="off" {...form.getInputProps('clientId')} />
      <PasswordInput label={t`Client secret`} autoComplete="off" {...form.getInputProps('clientSecret')} />
    </>
  );
}
