import type { ProviderTest } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';

const texts: Readonly<Record<ProviderTest, string>> = {
  accepted: t`The provider accepts client ID and secret. It checks the callback URL only when somebody signs in.`,
  keys_rejected: t`The provider rejects client ID or secret.`,
  unreachable: t`The provider could not be reached.`,
  unclear: t`The provider answered, but does not say whether client ID and secret are right.`,
};

/** Asks the provider about client ID and secret, saved or not. Mount it anew for others. */
export function ConnectionTest({ isReady, test }: { isReady: boolean; test: () => Promise<ProviderTest> }) {
  const [result, setResult] = useState<ProviderTest | null>(null);
  const action = useAction(async () => {
    setResult(null);
    setResult(await test());
  });
  return (
    <>
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          disabled={!isReady}
          loading={action.isRunning}
          onClick={() => void action.run()}
        >
          <Trans>Test client ID and secret</Trans>
        </Button>
        <Text size="sm" role="status" c={result === 'keys_rejected' || result === 'unreachable' ? 'red' : 'dimmed'}>
          {result && texts[result]}
        </Text>
      </Group>
      {action.error !== undefined && <ErrorNote error={action.error} />}
    </>
  );
}
