import type { AuditClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Stack, Text } from '@mantine/core';
import { FieldChanges } from '../../components/audit/field-changes.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';

type CompareProps = {
  isOpen: boolean;
  onClose: () => void;
  audit: AuditClient;
  projectId: string;
  target: { type: string; id: string };
  from: string;
};

/** What changed between a moment and now. */
export function CompareDialog({ isOpen, onClose, ...compared }: CompareProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Changes until now`} size="xl">
      <Differences {...compared} />
    </Modal>
  );
}

function Differences({ audit, projectId, target, from }: Omit<CompareProps, 'isOpen' | 'onClose'>) {
  const found = useResource(['state-diff', projectId, target.type, target.id, from], () =>
    audit.compareWithNow({ targetType: target.type, targetId: target.id, from }),
  );
  if (found.error !== undefined) {
    return <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />;
  }
  if (!found.value) return <BlockLoading height={120} label={t`Loading changes`} />;
  const { changes, events, existedBefore, existsAfter } = found.value;
  return (
    <Stack gap="sm">
      {!existedBefore && (
        <Text size="sm">
          <Trans>It did not exist at that time.</Trans>
        </Text>
      )}
      {!existsAfter && (
        <Text size="sm">
          <Trans>It no longer exists.</Trans>
        </Text>
      )}
      {changes.length === 0 ? (
        <Text size="sm">
          <Trans>Nothing has changed.</Trans>
        </Text>
      ) : (
        <FieldChanges changes={changes} />
      )}
      {events.length > 0 && (
        <Text size="sm" c="dimmed">
          <Trans>{plural(events.length, { one: '# event', other: '# events' })} since then</Trans>
        </Text>
      )}
    </Stack>
  );
}
