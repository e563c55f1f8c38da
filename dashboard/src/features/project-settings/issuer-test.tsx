import type { IssuerFault, OpenIdProvidersClient } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';

type Props = { issuer: string; testIssuer: OpenIdProvidersClient['testIssuer'] };

/** Reads the metadata and keys of an issuer, and says what is wrong with them. */
export function IssuerTest({ issuer, testIssuer }: Props) {
  const [result, setResult] = useState<IssuerFault | 'usable' | null>(null);
  const test = useAction(async () => {
    setResult(null);
    setResult((await testIssuer(issuer)) ?? 'usable');
  });
  return (
    <>
      <Group gap="sm" align="center">
        <Button
          variant="default"
          size="xs"
          disabled={issuer === ''}
          loading={test.isRunning}
          onClick={() => void test.run()}
        >
          <Trans>Test connection</Trans>
        </Button>
        <Text size="sm" role="status" c={result === 'usable' || result === null ? 'dimmed' : 'red'}>
          {result === 'usable' ? t`The provider’s metadata and keys can be used.` : result && faultText(result)}
        </Text>
      </Group>
      {test.error !== undefined && <ErrorNote error={test.error} />}
    </>
  );
}

function faultText({ reason, detail: given }: IssuerFault): string {
  const detail = given ?? '';
  switch (reason) {
    case 'not_allowed':
      return t`The issuer must be an https URL of a public host.`;
    case 'unreachable':
      return t`The issuer could not be reached.`;
    case 'timeout':
      return t`The issuer did not answer in time.`;
    case 'too_large':
      return t`The answer of the issuer is too large.`;
    case 'redirect':
      return t`The issuer redirects to another URL. Enter the issuer as the provider documents it.`;
    case 'status':
      return t`The issuer has no OpenID Connect metadata: it answered with status ${detail}.`;
    case 'not_metadata':
      return given === null
        ? t`The issuer answered, but not with OpenID Connect metadata.`
        : t`These fields of the metadata are missing or can’t be used: ${detail}.`;
    case 'issuer_mismatch':
      return t`The provider’s issuer is ${detail}. Enter exactly this URL.`;
    case 'endpoint_not_allowed':
      return t`The ${detail} of the provider must be an https URL of a public host.`;
    case 'keys_unusable':
      return t`The keys of the provider could not be read.`;
  }
}
