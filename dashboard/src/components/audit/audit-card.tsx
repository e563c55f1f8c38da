import type { AuditClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { AppLink } from '../app-link.tsx';
import { Card } from '../states.tsx';
import { AuditList } from './audit-list.tsx';
import { auditHref } from './audit-search.ts';

type AuditCardProps = {
  audit: AuditClient;
  projectId: string;
  target: { type: string; id: string };
};

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
        filters={{ targetType: type, targetId: id }}
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
