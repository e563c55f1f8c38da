import type { ReplayWebhooks, StartedWebhookReplay, WebhookEndpoint, WebhooksClient } from '@gatebook/js/admin';
import type { EventTypePattern } from '@gatebook/js/events';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Modal, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DialogForm } from '../../components/dialog-form.tsx';
import { TypeSelect } from '../../components/events/type-select.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { formatZonedTime } from '../../lib/format.ts';
import { matchesText } from './texts.ts';
import type { WebhooksAccess } from './webhooks-access.ts';

const HOUR_MS = 3_600_000;
const ranges = [
  { value: String(24 * HOUR_MS), label: t`Last 24 hours` },
  { value: String(HOUR_MS), label: t`Last hour` },
  { value: String(7 * 24 * HOUR_MS), label: t`Last 7 days` },
  { value: String(30 * 24 * HOUR_MS), label: t`Last 30 days` },
];
const choices = [
  { value: 'missing', label: t`Missing`, description: t`Events that your server never accepted.` },
  { value: 'failed', label: t`Failed`, description: t`Deliveries that failed for good.` },
  { value: 'all', label: t`All`, description: t`Every event once more, also those that were accepted.` },
] as const;

type ReplayDialogProps = Pick<WebhooksAccess, 'events'> & {
  isOpen: boolean;
  onClose: () => void;
  webhooks: WebhooksClient;
  endpoint: WebhookEndpoint;
  onStart: (replay: StartedWebhookReplay) => void;
};

/** Sends past events again. */
export function ReplayDialog({ isOpen, onClose, ...form }: ReplayDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Replay events`} size="lg">
      <ReplayForm onClose={onClose} {...form} />
    </Modal>
  );
}

function ReplayForm({ onClose, webhooks, events, endpoint, onStart }: Omit<ReplayDialogProps, 'isOpen'>) {
  const types = useResource(['event-types'], events.listEventTypes);
  // The range ends when the dialog opens, so that exactly the counted events are sent.
  const [now] = useState(() => Date.now());
  const [range, setRange] = useState(ranges[0]?.value ?? '0');
  const [only, setOnly] = useState<ReplayWebhooks['only']>('missing');
  const [patterns, setPatterns] = useState<string[]>([]);
  const sinceMillis = now - Number(range);
  const replay: ReplayWebhooks = {
    sinceMillis,
    untilMillis: now,
    only,
    ...(patterns.length > 0 && { types: patterns as EventTypePattern[] }),
  };
  const action = useAction(async () => onStart(await webhooks.replay(endpoint.id, replay)));
  return (
    <DialogForm action={action} submitLabel={t`Replay events`} onDone={onClose} onClose={onClose}>
      <NativeSelect
        label={t`Events of the`}
        description={t`Since ${formatZonedTime(new Date(sinceMillis))}`}
        data={ranges}
        value={range}
        onChange={(event) => setRange(event.currentTarget.value)}
      />
      <Radio.Group label={t`Send`} value={only} onChange={(value) => setOnly(value as ReplayWebhooks['only'])}>
        <Stack gap="xs" mt={4}>
          {choices.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      <TypeSelect
        label={t`Types`}
        placeholder={patterns.length === 0 ? t`All types of this endpoint` : ''}
        types={types.value ?? []}
        value={patterns}
        onChange={setPatterns}
      />
      <ReplayPreview webhooks={webhooks} endpointId={endpoint.id} replay={replay} />
    </DialogForm>
  );
}

type PreviewProps = { webhooks: WebhooksClient; endpointId: string; replay: ReplayWebhooks };

/** How many events a replay would send. */
function ReplayPreview({ webhooks, endpointId, replay }: PreviewProps) {
  const counted = useResource(['webhook-replay-preview', endpointId, JSON.stringify(replay)], () =>
    webhooks.replay(endpointId, { ...replay, dryRun: true }),
  );
  if (counted.error !== undefined) return <ErrorNote error={counted.error} />;
  return (
    <Text size="sm" role="status" fw={600}>
      {counted.value ? t`${matchesText(counted.value)} will be sent` : t`Counting events…`}
    </Text>
  );
}
