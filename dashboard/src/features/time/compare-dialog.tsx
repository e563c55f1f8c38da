import type { AuditClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { Modal, Stack, Text } from '@mantine/core';
import { FieldChanges } from '../../components/audit/field-changes.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { plural } from '../../lib/format.ts';

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
    <Modal opened={isOpen} onClose={onClose} title="Changes until now" size="xl">
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
  if (!found.value) return <BlockLoading height={120} label="Loading changes" />;
  const { changes, events, existedBefore, existsAfter } = found.value;
  return (
    <Stack gap="sm">
      {!existedBefore && <Text size="sm">It did not exist at that time.</Text>}
      {!existsAfter && <Text size="sm">It no longer exists.</Text>}
      {changes.length === 0 ? <Text size="sm">Nothing has changed.</Text> : <FieldChanges changes={changes} />}
      {events.length > 0 && (
        <Text size="sm" c="dimmed">
          {plural(events.length, 'event')} since then
        </Text>
      )}
    </Stack>
  );
}
