import type { whyKeyInvalid } from '@gatebook/js/core';
import { Trans } from '@lingui/react/macro';
import { StatusDot } from './status-dot.tsx';

type Props = { invalidReason: ReturnType<typeof whyKeyInvalid>; endsSoon: boolean };

/** Of a project key, or of an API key of a user or a team. */
export function KeyStatus({ invalidReason, endsSoon: isEnding }: Props) {
  if (invalidReason === 'expired')
    return (
      <StatusDot tone="off">
        <Trans>Expired</Trans>
      </StatusDot>
    );
  if (invalidReason === 'manually-revoked')
    return (
      <StatusDot tone="bad">
        <Trans>Revoked</Trans>
      </StatusDot>
    );
  if (isEnding)
    return (
      <StatusDot tone="busy">
        <Trans>Expires soon</Trans>
      </StatusDot>
    );
  return (
    <StatusDot tone="good">
      <Trans>Active</Trans>
    </StatusDot>
  );
}
