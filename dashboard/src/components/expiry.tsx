import { Trans } from '@lingui/react/macro';
import { useNow } from '../lib/use-now.ts';
import { RelativeTime } from './relative-time.tsx';

/** When something expires or expired, inside a sentence. */
export function Expiry({ at }: { at: Date }) {
  return at <= useNow() ? (
    <Trans>
      expired <RelativeTime at={at} />
    </Trans>
  ) : (
    <Trans>
      expires <RelativeTime at={at} />
    </Trans>
  );
}
