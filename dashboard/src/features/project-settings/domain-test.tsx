import { hasWildcard } from '@gatebook/domain/project/trusted-domains';
import type { ProjectClient, ProjectConfig, DomainTest as Result } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';
import classes from './project-settings.module.css';

type Props = { domain: ProjectConfig['domains'][number]; test: ProjectClient['testDomain'] };

/** Asks whether the sign-in page of a domain answers, saved or not. Mount it anew for another domain. */
export function DomainTest({ domain, test }: Props) {
  const [result, setResult] = useState<Result | null>(null);
  const action = useAction(async () => {
    setResult(null);
    setResult(await test(domain));
  });
  if (hasWildcard(domain.domain)) {
    return (
      <Text size="sm" c="dimmed" className={classes.test}>
        <Trans>A domain with a wildcard can’t be tested.</Trans>
      </Text>
    );
  }
  return (
    <div className={classes.test}>
      <Button
        variant="default"
        size="compact-sm"
        loading={action.isRunning}
        onClick={() => void action.run()}
        aria-label={t`Test ${domain.domain}`}
      >
        <Trans>Test</Trans>
      </Button>{' '}
      <Text span size="sm" role="status" c={result && isFault(result) ? 'red' : 'dimmed'}>
        {result && textOf(result)}
      </Text>
      {action.error !== undefined && <ErrorNote error={action.error} />}
    </div>
  );
}

const isFault = ({ status }: Result): boolean => status === null || status >= 400;

function textOf({ url, status, reason }: Result): string {
  if (reason === 'not_allowed') return t`${url} is not a public address, so this server does not request it.`;
  if (reason === 'timeout') return t`${url} did not answer in time.`;
  if (status === null) return t`${url} could not be reached.`;
  if (status === 404) return t`${url} answers, but there is no page. Check the handler path.`;
  return status >= 400 ? t`${url} answers with status ${status}.` : t`${url} answers.`;
}
