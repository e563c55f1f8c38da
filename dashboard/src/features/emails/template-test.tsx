import type { EmailTemplateInput, TemplateTest } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';

type Props = { draft: EmailTemplateInput | null; send: (draft: EmailTemplateInput) => Promise<TemplateTest> };

/** Sends the template as edited, saved or not, to the signed-in member. */
export function TestTemplate({ draft, send }: Props) {
  const [result, setResult] = useState<TemplateTest | null>(null);
  const action = useAction(async () => {
    setResult(null);
    if (draft) setResult(await send(draft));
  });
  return (
    <Writing>
      <Group gap="sm">
        <Button variant="default" loading={action.isRunning} disabled={!draft} onClick={() => void action.run()}>
          <Trans>Send a test to me</Trans>
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {result?.error === null ? t`Sent to ${result.recipient}.` : ''}
        </Text>
      </Group>
      {action.error !== undefined && <ErrorNote title={t`The test was not sent`} error={action.error} />}
      {result && result.error !== null && (
        <ErrorNote title={t`The test to ${result.recipient} was not sent`} error={new Error(result.error)} />
      )}
    </Writing>
  );
}
