import type { ProjectConfig } from '@gatebook/js/projects';
import { useAction } from '@gatebook/react/use-action';
import { ActionIcon, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';

type Values = { allowLocalhost: boolean; domains: { domain: string; handlerPath: string }[] };
type Props = { config: ProjectConfig; save: (config: Values) => Promise<void> };

/** Where links in mails and sign-ins may lead to. */
export function DomainsForm({ config, save }: Props) {
  const [isSaved, setSaved] = useState(false);
  const form = useForm<Values>({
    initialValues: { allowLocalhost: config.allowLocalhost, domains: config.domains.map((domain) => ({ ...domain })) },
    validate: { domains: { domain: domainFault, handlerPath: pathFault } },
  });
  const action = useAction(async (values: Values) => {
    await save(values);
    form.resetDirty(values);
    setSaved(true);
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))} noValidate>
      <Stack gap="md" maw="38rem">
        <Text size="sm" c="dimmed">
          Links and redirects lead only to these addresses.
        </Text>
        <Switch
          label="Allow localhost"
          description="For development: every address on localhost is trusted."
          {...form.getInputProps('allowLocalhost', { type: 'checkbox' })}
        />
        {form.values.domains.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other identity, and order stays
          <Group key={index} align="flex-end" gap="xs" wrap="nowrap">
            <TextInput
              label="Domain"
              placeholder="https://shop.example"
              flex={2}
              {...form.getInputProps(`domains.${index}.domain`)}
            />
            <TextInput label="Handler path" flex={1} {...form.getInputProps(`domains.${index}.handlerPath`)} />
            <ActionIcon
              variant="default"
              size={36}
              aria-label="Remove this domain"
              onClick={() => form.removeListItem('domains', index)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.insertListItem('domains', { domain: '', handlerPath: '/handler' })}
          >
            Add domain
          </Button>
          <SaveButton isRunning={action.isRunning} isDirty={form.isDirty()} isSaved={isSaved} />
        </Group>
        {action.error !== undefined && <ErrorNote error={action.error} />}
      </Stack>
    </form>
  );
}

function domainFault(text: string): string | null {
  return /^https?:\/\/[^\s/]/.test(text) && URL.canParse(text) ? null : 'Enter an address that begins with https://';
}

function pathFault(text: string): string | null {
  return text.startsWith('/') ? null : 'Begins with /';
}
