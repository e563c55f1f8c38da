import type { CustomMetric, CustomMetricsClient } from '@gatebook/js/admin';
import type { EventMethods } from '@gatebook/js/events';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { CustomMetricCard } from './custom-metric-card.tsx';
import { CustomMetricDialog } from './custom-metric-dialog.tsx';
import classes from './overview-page.module.css';

const maxMetrics = 20;

type Props = {
  client: CustomMetricsClient;
  events: Pick<EventMethods, 'listEventTypes'>;
  projectId: string;
};

/** What a project counts besides the charts that all projects have. */
export default function CustomMetricsSection({ client, events, projectId }: Props) {
  const found = useResource(['custom-metrics', projectId], client.list);
  const [edited, setEdited] = useState<CustomMetric | 'new' | null>(null);
  const [deleted, setDeleted] = useState<CustomMetric | null>(null);
  const { items = [], fields = [] } = found.value ?? {};
  return (
    <section aria-labelledby="custom-metrics-title" className={classes.section}>
      <div className={classes.sectionHead}>
        <Title order={2} id="custom-metrics-title">
          <Trans>Custom metrics</Trans>
        </Title>
        {found.value && (
          <Writing>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              disabled={items.length >= maxMetrics}
              onClick={() => setEdited('new')}
            >
              <Trans>Add metric</Trans>
            </Button>
          </Writing>
        )}
      </div>
      {found.error !== undefined && (
        <ErrorNote
          title={t`The custom metrics could not be loaded`}
          error={found.error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
      {found.value === undefined && found.error === undefined && (
        <BlockLoading height={120} label={t`Loading custom metrics`} />
      )}
      {found.value && items.length === 0 && (
        <Card>
          <Text size="sm" c="dimmed">
            <Trans>
              Count any event over time, such as new teams per week or passkey sign-ins per day, also in the past.
            </Trans>
          </Text>
        </Card>
      )}
      <div className={classes.halves}>
        {items.map((metric) => (
          <CustomMetricCard
            key={metric.id}
            metric={metric}
            client={client}
            projectId={projectId}
            onEdit={() => setEdited(metric)}
            onDelete={() => setDeleted(metric)}
          />
        ))}
      </div>
      <CustomMetricDialog
        edited={edited}
        fields={fields}
        events={events}
        onClose={() => setEdited(null)}
        save={async (definition) => {
          if (edited === null || edited === 'new') await client.create(definition);
          else await client.update(edited.id, definition);
          await found.refresh();
        }}
      />
      <ConfirmDialog
        isOpen={deleted !== null}
        onClose={() => setDeleted(null)}
        title={t`Delete this metric?`}
        confirmLabel={t`Delete metric`}
        call={deleted ? { method: 'DELETE', path: `/internal/custom-metrics/${deleted.id}` } : undefined}
        onConfirm={async () => {
          if (deleted) await client.delete(deleted.id);
          await found.refresh();
        }}
      >
        <Trans>
          {deleted?.displayName} and its counts are deleted. The events stay, so a new metric can count them again.
        </Trans>
      </ConfirmDialog>
    </section>
  );
}
