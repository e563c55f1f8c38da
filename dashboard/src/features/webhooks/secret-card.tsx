import { callOfSecretRotation, type WebhookSecret, type WebhooksClient } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { formatExactTime } from '../../lib/format.ts';

const HOUR_MS = 3_600_000;
const overlaps = [
  { value: String(24 * HOUR_MS), label: t`24 hours` },
  { value: String(HOUR_MS), label: t`1 hour` },
  { value: String(7 * 24 * HOUR_MS), label: t`7 days` },
  { value: '0', label: t`Not at all` },
];

type SecretCardProps = { webhooks: WebhooksClient; endpointId: string; onChange: () => Promise<void> };

/** The signing secret: hidden until it is asked for. */
export function SecretCard({ webhooks, endpointId, onChange }: SecretCardProps) {
  const [shown, setShown] = useState<WebhookSecret | null>(null);
  const [isRotating, setRotating] = useState(false);
  const reveal = useAction(async () => setShown(await webhooks.findSecret(endpointId)));
  return (
    <Card
      title={t`Signing secret`}
      labelId="secret-title"
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setRotating(true)}>
          <Trans>Rotate secret</Trans>
        </Button>
      }
    >
      <Stack gap="md" align="stretch">
        {shown ? (
          <CopyField label={t`Signing secret`} value={shown.secret} isHeading={false} />
        ) : (
          <div>
            <Button variant="default" size="xs" loading={reveal.isRunning} onClick={() => void reveal.run()}>
              <Trans>Show secret</Trans>
            </Button>
          </div>
        )}
        {reveal.error !== undefined && <ErrorNote error={reveal.error} />}
        {shown?.previousExpiresAt && (
          <Text size="sm" c="dimmed">
            <Trans>
              Deliveries are also signed with the earlier secret until {formatExactTime(shown.previousExpiresAt)}.
            </Trans>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          <Trans>
            Deliveries are signed as in Standard Webhooks. Each time the secret is shown is recorded in the audit log.
          </Trans>
        </Text>
      </Stack>
      <Modal opened={isRotating} onClose={() => setRotating(false)} title={t`Rotate the signing secret`}>
        <RotateForm
          endpointId={endpointId}
          onClose={() => setRotating(false)}
          rotate={async (overlapInMillis) => {
            setShown(await webhooks.rotateSecret(endpointId, overlapInMillis));
            await onChange();
          }}
        />
      </Modal>
    </Card>
  );
}

type RotateFormProps = {
  endpointId: string;
  onClose: () => void;
  rotate: (overlapInMillis: number) => Promise<void>;
};

function RotateForm({ endpointId, onClose, rotate }: RotateFormProps) {
  const [overlap, setOverlap] = useState(overlaps[0]?.value ?? '0');
  const action = useAction(() => rotate(Number(overlap)));
  const submit = async (): Promise<void> => {
    if (await action.run()) onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            A new secret is created. For a while, deliveries are signed with both, so that you can change the secret of
            your server without losing one.
          </Trans>
        </Text>
        <NativeSelect
          label={t`Keep signing with the current secret for`}
          data={overlaps}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          {...(overlap === '0' && {
            description: t`Your server rejects deliveries until it has the new secret. They are tried again.`,
          })}
        />
        <PreviewNote call={callOfSecretRotation(endpointId, Number(overlap))} />
        <DialogButtons action={action} submitLabel={t`Rotate secret`} onClose={onClose} />
      </Stack>
    </form>
  );
}
