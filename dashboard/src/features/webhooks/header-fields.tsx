import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, CloseButton, Input, Stack, TextInput } from '@mantine/core';
import type { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import type { EndpointValues } from './endpoint-values.ts';
import classes from './webhooks.module.css';

type HeaderForm = Pick<
  ReturnType<typeof useForm<EndpointValues>>,
  'values' | 'key' | 'getInputProps' | 'insertListItem' | 'removeListItem'
>;

/** Headers that are sent with each delivery. Values of existing ones are not known. */
export function HeaderFields({ form }: { form: HeaderForm }) {
  return (
    <Stack gap="xs" align="stretch">
      <Input.Label>
        <Trans>Headers</Trans>
      </Input.Label>
      <Input.Description>
        <Trans>Sent with each delivery, such as an Authorization header. Values are not shown again.</Trans>
      </Input.Description>
      {form.values.headers.map(({ isKept, name }, index) => (
        <div key={form.key(`headers.${index}`)} className={classes.headerRow}>
          <TextInput
            aria-label={t`Name of header ${index + 1}`}
            placeholder={t`Authorization`}
            readOnly={isKept}
            {...form.getInputProps(`headers.${index}.name`)}
          />
          <TextInput
            aria-label={t`Value of header ${index + 1}`}
            placeholder={isKept ? t`Unchanged` : t`Value`}
            autoComplete="off"
            {...form.getInputProps(`headers.${index}.value`)}
          />
          <CloseButton
            size="lg"
            aria-label={t`Remove header ${name === '' ? index + 1 : name}`}
            onClick={() => form.removeListItem('headers', index)}
          />
        </div>
      ))}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={form.values.headers.length >= 20}
          onClick={() => form.insertListItem('headers', { name: '', value: '', isKept: false })}
        >
          <Trans>Add header</Trans>
        </Button>
      </div>
    </Stack>
  );
}
