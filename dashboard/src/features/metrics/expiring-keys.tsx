import { endsSoon, type ProjectKeysClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { AppLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useNow } from '../../lib/use-now.ts';

type Props = { keys: Pick<ProjectKeysClient, 'list'>; projectId: string };

/** Warns of project keys that will stop working within 30 days. Nothing while there are none. */
export function ExpiringKeys({ keys, projectId }: Props) {
  const list = useResource(['keys', projectId], keys.list);
  const now = useNow();
  const ending = (list.value ?? []).filter((key) => endsSoon(key, now));
  const [first] = ending.toSorted((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
  if (!first) return null;
  return (
    <Alert color="yellow" icon={<IconKey size={18} aria-hidden />} title={t`Project keys expire soon`}>
      <Trans>
        {plural(ending.length, { one: `“${nameOf(first)}” expires`, other: '# keys expire soon, the first one' })}{' '}
        <RelativeTime at={first.expiresAt} />. Apps and servers that use it stop working then.{' '}
        <AppLink href={`/projects/${projectId}/settings/keys`}>Rotate it</AppLink>.
      </Trans>
    </Alert>
  );
}

const nameOf = ({ description }: { description: string }) => description || t`Unnamed key`;
