import type { IssuerFault, OpenIdProvidersClient } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
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
          Test connection
        </Button>
        <Text size="sm" role="status" c={result === 'usable' || result === null ? 'dimmed' : 'red'}>
          {result === 'usable' ? 'The provider’s metadata and keys can be used.' : result && faultText(result)}
        </Text>
      </Group>
      {test.error !== undefined && <ErrorNote error={test.error} />}
    </>
  );
}

function faultText({ reason, detail }: IssuerFault): string {
  switch (reason) {
    case 'not_allowed':
      return 'The issuer must be an https URL of a public host.';
    case 'unreachable':
      return 'The issuer could not be reached.';
    case 'timeout':
      return 'The issuer did not answer in time.';
    case 'too_large':
      return 'The answer of the issuer is too large.';
    case 'redirect':
      return 'The issuer redirects to another URL. Enter the issuer as the provider documents it.';
    case 'status':
      return `The issuer has no OpenID Connect metadata: it answered with status ${detail}.`;
    case 'not_metadata':
      return detail === null
        ? 'The issuer answered, but not with OpenID Connect metadata.'
        : `These fields of the metadata are missing or can’t be used: ${detail}.`;
    case 'issuer_mismatch':
      return `The provider’s issuer is ${detail}. Enter exactly this URL.`;
    case 'endpoint_not_allowed':
      return `The ${detail} of the provider must be an https URL of a public host.`;
    case 'keys_unusable':
      return 'The keys of the provider could not be read.';
  }
}
