import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { UnstyledButton } from '@mantine/core';
import { StatusDot } from '../status-dot.tsx';
import classes from './events.module.css';
import type { FeedState } from './use-event-feed.ts';

/** Whether new events appear by themselves, and a switch for that. */
export function LivePill({ state, onToggle }: { state: FeedState; onToggle: () => void }) {
  const isPaused = state.kind === 'paused';
  return (
    <UnstyledButton
      className={classes.live}
      title={isPaused ? t`Show new events` : t`Pause`}
      aria-pressed={!isPaused}
      onClick={onToggle}
    >
      {state.kind === 'live' && (
        <StatusDot tone="good">
          <Trans>Live</Trans>
        </StatusDot>
      )}
      {state.kind === 'connecting' && (
        <StatusDot tone="busy">
          <Trans>Connecting…</Trans>
        </StatusDot>
      )}
      {state.kind === 'paused' && (
        <StatusDot tone="off">
          {state.waiting === 0
            ? t`Paused`
            : t`Paused, ${plural(state.waiting, { one: '# new event', other: '# new events' })}`}
        </StatusDot>
      )}
    </UnstyledButton>
  );
}
