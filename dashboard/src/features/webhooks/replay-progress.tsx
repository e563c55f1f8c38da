import type { WebhooksClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, CloseButton } from '@mantine/core';
import { ErrorNote } from '../../components/states.tsx';
import { formatCount } from '../../lib/format.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { matchesText } from './texts.ts';
import classes from './webhooks.module.css';

const POLL_MS = 2_000;

type ReplayProgressProps = { webhooks: WebhooksClient; replayId: string; onClose: () => void };

/** How far a replay is. */
export function ReplayProgress({ webhooks, replayId, onClose }: ReplayProgressProps) {
  const found = useResource(['webhook-replay', replayId], () => webhooks.findReplay(replayId));
  const cancel = useAction(async () => {
    await webhooks.cancelReplay(replayId);
    await found.refresh();
  });
  const replay = found.value;
  usePolling(found.refresh, POLL_MS, replay === undefined || replay.status === 'running');
  if (found.error !== undefined && !replay) return <ErrorNote error={found.error} onRetry={found.refresh} />;
  return (
    <section aria-label={t`Replay`} className={classes.problem} data-tone="plain">
      <p role="status">{replay ? progressText(replay) : t`Replay of events`}</p>
      {cancel.error !== undefined && <ErrorNote error={cancel.error} />}
      {replay?.status === 'running' ? (
        <Button size="xs" variant="default" loading={cancel.isRunning} onClick={() => void cancel.run()}>
          <Trans>Cancel replay</Trans>
        </Button>
      ) : (
        <CloseButton aria-label={t`Dismiss`} onClick={onClose} />
      )}
    </section>
  );
}

type Progress = Awaited<ReturnType<WebhooksClient['findReplay']>>;

const states: Readonly<Record<Progress['status'], string>> = {
  running: t`Replay is running`,
  completed: t`Replay is complete`,
  canceled: t`Replay was canceled`,
};

const progressText = ({ status, sent, delivered, failed, ...count }: Progress): string =>
  t`${states[status]}: ${formatCount(sent)} of ${matchesText(count)} sent, ${formatCount(delivered)} delivered, ${formatCount(failed)} failed.`;
