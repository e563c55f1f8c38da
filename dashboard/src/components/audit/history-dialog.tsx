import type { AuditClient, AuditFilters } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { AuditList } from './audit-list.tsx';

export type HistoryProps = {
  audit: AuditClient;
  projectId: string;
  /** What the history is of, as in `History of …`. */
  name: string;
  filters: AuditFilters;
};

export function HistoryDialog({
  isOpen,
  onClose,
  name,
  ...list
}: HistoryProps & { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`History of ${name}`} size="xl">
      <HistoryList {...list} />
    </Modal>
  );
}

function HistoryList(list: Omit<HistoryProps, 'name'>) {
  const [openId, setOpenId] = useState<string>();
  return (
    <AuditList
      {...list}
      openId={openId}
      onOpen={setOpenId}
      empty={
        <Text size="sm" c="dimmed">
          <Trans>No history yet</Trans>
        </Text>
      }
    />
  );
}
