import type { WebhookSecret, WebhooksClient } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyField } from '../../components/copy-field.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { formatZonedTime } from '../../lib/format.ts';

const RotateSecretDialog = lateDialog(async () => (await import('./rotate-secret-dialog.tsx')).RotateSecretDialog);

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
              Deliveries are also signed with the earlier secret until {formatZonedTime(shown.previousExpiresAt)}.
            </Trans>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          <Trans>
            Deliveries are signed as in Standard Webhooks. Each time the secret is shown is recorded in the audit log.
          </Trans>
        </Text>
      </Stack>
      <RotateSecretDialog
        isOpen={isRotating}
        endpointId={endpointId}
        onClose={() => setRotating(false)}
        rotate={async (overlapInMillis) => {
          setShown(await webhooks.rotateSecret(endpointId, overlapInMillis));
          await onChange();
        }}
      />
    </Card>
  );
}
