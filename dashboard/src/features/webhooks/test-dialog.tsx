import type { WebhookEndpoint, WebhooksClient, WebhookTest } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DialogForm } from '../../components/dialog-form.tsx';
import { typesMatching } from '../../components/events/type-patterns.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { durationText } from './texts.ts';
import type { WebhooksAccess } from './webhooks-access.ts';

const plainTest = 'gatebook.test';

type TestDialogProps = Pick<WebhooksAccess, 'events'> & {
  isOpen: boolean;
  onClose: () => void;
  webhooks: WebhooksClient;
  endpoint: WebhookEndpoint;
};

/** Sends an example to the endpoint, and shows what it answered. */
export function TestDialog({ isOpen, onClose, ...form }: TestDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Send a test`}>
      <TestForm onClose={onClose} {...form} />
    </Modal>
  );
}

function TestForm({ onClose, webhooks, events, endpoint }: Omit<TestDialogProps, 'isOpen'>) {
  const types = useResource(['event-types'], events.listEventTypes);
  const [type, setType] = useState(plainTest);
  const [result, setResult] = useState<WebhookTest | null>(null);
  const action = useAction(async () => {
    setResult(null);
    setResult(await webhooks.test(endpoint.id, type === plainTest ? undefined : type));
  });
  const offered = typesMatching(types.value ?? [], endpoint.types ?? []).map((each) => each.type);
  return (
    <DialogForm action={action} submitLabel={t`Send test`} onClose={onClose}>
      <Text size="sm">
        <Trans>One signed request with example data. It is not tried again, and is not a delivery.</Trans>
      </Text>
      <NativeSelect
        label={t`Event`}
        data={[plainTest, ...offered]}
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
      />
      <div role="status">{result && <TestResult result={result} />}</div>
    </DialogForm>
  );
}

function TestResult({ result: { success, statusCode, durationInMillis, errorMessage } }: { result: WebhookTest }) {
  const answer = statusCode === null ? t`No response` : t`Answered ${statusCode}`;
  return (
    <Stack gap={4}>
      <StatusDot tone={success ? 'good' : 'bad'}>
        <Trans>
          {success ? t`Accepted` : t`Failed`}: {answer} after {durationText(durationInMillis)}
        </Trans>
      </StatusDot>
      {errorMessage !== undefined && (
        <Text size="sm" c="dimmed">
          {errorMessage}
        </Text>
      )}
    </Stack>
  );
}
