import type { QuotaChanges, QuotaName, Quotas } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';

type Field = { name: QuotaName; label: string };

const userFields: readonly Field[] = [
  { name: 'teamsPerUser', label: 'Teams created per user' },
  { name: 'membershipsPerUser', label: 'Teams joined per user' },
  { name: 'apiKeysPerUser', label: 'API keys per user' },
  { name: 'apiKeysPerTeam', label: 'API keys per team' },
  { name: 'contactChannelsPerUser', label: 'Email addresses per user' },
  { name: 'providerAccountsPerUser', label: 'Connected accounts per user' },
  { name: 'sessionsPerUser', label: 'Sessions per user' },
];
const projectFields: readonly Field[] = [
  { name: 'projectKeys', label: 'Project keys' },
  { name: 'domains', label: 'Trusted domains' },
  { name: 'permissionDefinitions', label: 'Permission definitions' },
  { name: 'webhookEndpoints', label: 'Webhook endpoints' },
];
const ownerField: Field = { name: 'projectsPerOwner', label: 'Projects per owner' };

type Values = Record<QuotaName, number | string>;
type Props = { quotas: Quotas; ownsProjects: boolean; save: (changes: QuotaChanges) => Promise<Quotas> };

/** An empty field resets its quota to the default. */
export function QuotasForm({ quotas, ownsProjects, save }: Props) {
  const [isSaved, setSaved] = useState(false);
  const form = useForm<Values>({ initialValues: { ...quotas } });
  const action = useAction(async (values: Values) => {
    const changed = Object.entries(values).filter(([name, value]) => value !== quotas[name as QuotaName]);
    const changes = Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : Number(value)]));
    const saved: Values = { ...(await save(changes)) };
    form.setValues(saved);
    form.resetDirty(saved);
    setSaved(true);
  });
  const fields = [...userFields, ...projectFields, ...(ownsProjects ? [ownerField] : [])];
  return (
    <Writing>
      <form onSubmit={form.onSubmit((values) => void action.run(values))}>
        <Stack gap="md" maw="40rem">
          <Text size="sm" c="dimmed">
            Limits on what users can create in your app. They do not apply to your servers, except for sessions: when a
            user exceeds that limit, the least recently used session ends. Leave a field empty to use the default.
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {fields.map(({ name, label }) => (
              <NumberInput
                key={name}
                label={label}
                min={1}
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          {action.error !== undefined && <ErrorNote error={action.error} />}
          <Group>
            <SaveButton isRunning={action.isRunning} isDirty={form.isDirty()} isSaved={isSaved} />
          </Group>
        </Stack>
      </form>
    </Writing>
  );
}
