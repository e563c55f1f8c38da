import type { AuditClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { AppLink } from '../app-link.tsx';
import { Card } from '../states.tsx';
import { AuditList } from './audit-list.tsx';
import { auditHref } from './audit-search.ts';
import { newestEvents } from './use-audit-list.ts';

type AuditCardProps = {
  audit: AuditClient;
  projectId: string;
  target: { type: string; id: string };
};

const filtersOf = ({ type, id }: AuditCardProps['target']) => ({ targetType: type, targetId: id });

/** Key and fetch of what the card shows first. */
export const newestHistory = ({ audit, projectId, target }: AuditCardProps) =>
  newestEvents(audit, projectId, filtersOf(target));

/** The history of one object, as a part of its page. */
export function AuditCard({ audit, projectId, target }: AuditCardProps) {
  const [openId, setOpenId] = useState<string>();
  const { type, id } = target;
  return (
    <Card
      title={t`History`}
      labelId="history-title"
      flush
      details={
        <AppLink size="sm" href={auditHref(projectId, { target: `${type}:${id}` })}>
          <Trans>Open in audit log</Trans>
        </AppLink>
      }
    >
      <AuditList
        audit={audit}
        projectId={projectId}
        filters={filtersOf(target)}
        openId={openId}
        onOpen={setOpenId}
        self={id}
        empty={
          <Text size="sm" c="dimmed" p="lg">
            <Trans>No history yet</Trans>
          </Text>
        }
      />
    </Card>
  );
}
