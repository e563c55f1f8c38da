import type { AuditClient, AuditFilters } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { AuditList } from './audit-list.tsx';

type HistoryButtonProps = {
  audit: AuditClient;
  projectId: string;
  /** What the history is of, as in `History of …`. */
  name: string;
  filters: AuditFilters;
};

/** The history of something without a page. */
export function HistoryButton({ name, ...list }: HistoryButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={t`History of ${name}`} onClick={() => setOpen(true)}>
        <Trans>History</Trans>
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t`History of ${name}`} size="xl">
        <HistoryList {...list} />
      </Modal>
    </>
  );
}

function HistoryList(list: Omit<HistoryButtonProps, 'name'>) {
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
