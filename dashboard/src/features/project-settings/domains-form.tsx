import { trustedDomainFault } from '@gatebook/domain/project/trusted-domains';
import type { ProjectConfig } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { ActionIcon, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';

type Values = { allowLocalhost: boolean; domains: { domain: string; handlerPath: string }[] };
type Props = { config: ProjectConfig; save: (config: Values) => Promise<void> };

/** The domains that links in emails and redirects after sign-in are allowed to target. */
export function DomainsForm({ config, save }: Props) {
  const [isSaved, setSaved] = useState(false);
  const form = useForm<Values>({
    initialValues: { allowLocalhost: config.allowLocalhost, domains: config.domains.map((domain) => ({ ...domain })) },
    validate: { domains: { domain: validateDomain, handlerPath: validatePath } },
  });
  const action = useAction(async (values: Values) => {
    await save(values);
    form.resetDirty(values);
    setSaved(true);
  });
  return (
    <Writing>
      <form onSubmit={form.onSubmit((values) => void action.run(values))} noValidate>
        <Stack gap="md" maw="38rem">
          <Text size="sm" c="dimmed">
            Links in emails, redirects after sign-in and passkeys are restricted to these domains. For preview
            deployments and tenants, use a wildcard: * stands for one label or a part of it, ** for one label or more,
            as in https://app-*.shop.example or https://**.shop.example. Only trust hosts that you control.
          </Text>
          <Switch
            label="Allow localhost"
            description="For development: trusts all URLs on localhost."
            {...form.getInputProps('allowLocalhost', { type: 'checkbox' })}
          />
          {form.values.domains.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other identity, in a stable order
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
                aria-label="Remove domain"
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
    </Writing>
  );
}

function validateDomain(text: string): string | null {
  if (!/^https?:\/\/[^\s/]/.test(text)) return 'Enter a URL that starts with https://';
  const fault = trustedDomainFault(text);
  return fault === null ? null : `This domain ${fault}`;
}

function validatePath(text: string): string | null {
  return text.startsWith('/') ? null : 'Enter a path that starts with /';
}
