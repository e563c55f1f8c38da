import { UnstyledButton } from '@mantine/core';
import { plural } from '../../lib/format.ts';
import { StatusDot } from '../status-dot.tsx';
import classes from './events.module.css';
import type { FeedState } from './use-event-feed.ts';

/** Whether new events appear by themselves, and a switch for that. */
export function LivePill({ state, onToggle }: { state: FeedState; onToggle: () => void }) {
  const isPaused = state.kind === 'paused';
  return (
    <UnstyledButton
      className={classes.live}
      title={isPaused ? 'Show new events' : 'Pause'}
      aria-pressed={!isPaused}
      onClick={onToggle}
    >
      {state.kind === 'live' && <StatusDot tone="good">Live</StatusDot>}
      {state.kind === 'connecting' && <StatusDot tone="busy">Connecting…</StatusDot>}
      {state.kind === 'paused' && (
        <StatusDot tone="off">
          {state.waiting === 0 ? 'Paused' : `Paused, ${plural(state.waiting, 'new event')}`}
        </StatusDot>
      )}
    </UnstyledButton>
  );
}
