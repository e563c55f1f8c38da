import type { Preview, PreviewEffect, PreviewedCall } from '@gatebook/js/admin';
import { type Resource, useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowBackUp, IconInfoCircle } from '@tabler/icons-react';
import { lazy, type RefObject, Suspense, useContext, useEffect, useRef, useState } from 'react';
import { useChanges } from '../../lib/changes.ts';
import { errorText } from '../../lib/error-text.ts';
import { formatCount } from '../../lib/format.ts';
import { ShowPreviewContext } from '../../lib/shown-previews.ts';
import classes from './changes.module.css';

const ChangesSince = lazy(async () => ({ default: (await import('./changes-since.tsx')).ChangesSince }));

/** Typing pause after which the effects of an edited call are asked for. */
const DEBOUNCE_MS = 400;

/**
 * What a call would do besides the obvious, and whether it can be undone. While it is shown, the call is rejected if
 * anything has changed since. Nothing outside a project.
 */
export function PreviewNote({ call }: { call: PreviewedCall }) {
  const changes = useChanges();
  const text = JSON.stringify(call);
  const [settled] = useDebouncedValue(text, DEBOUNCE_MS);
  if (!changes || settled !== text) return null;
  return <LoadedPreview key={text} preview={(since) => changes.preview(call, since)} call={call} />;
}

type LoadedPreviewProps = { preview: (since?: string) => Promise<Preview>; call: PreviewedCall };

function LoadedPreview({ preview, call }: LoadedPreviewProps) {
  const since = useRef<string>(undefined);
  const found = useResource(['preview', JSON.stringify(call)], () => preview(since.current));
  const outdated = useShowing(call, found, since);
  // The dialog works without its preview.
  if (found.error !== undefined) return null;
  if (!found.value) {
    return (
      <div role="status" aria-label={t`Loading preview`}>
        <Skeleton h={40} radius="sm" />
      </div>
    );
  }
  const { error, effects, isReversible, irreversibleReasons } = found.value;
  if (error) {
    return (
      <p role="alert" className={classes.note}>
        {errorText(new Error(error.error))}
      </p>
    );
  }
  return (
    <div className={classes.note}>
      {outdated && (
        <Suspense>
          <ChangesSince before={outdated} now={found.value} />
        </Suspense>
      )}
      {effects.length > 0 && (
        <ul className={classes.effects} aria-label={t`Effects`}>
          {effects.map((effect) => (
            <Effect key={`${effect.kind} ${effect.permissionId}`} effect={effect} />
          ))}
        </ul>
      )}
      <p className={classes.reversible}>
        {isReversible ? <IconArrowBackUp size={15} aria-hidden /> : <IconInfoCircle size={15} aria-hidden />}
        {isReversible ? t`Can be undone.` : [t`Cannot be undone.`, ...irreversibleReasons].join(' ')}
      </p>
    </div>
  );
}

/** @returns the first preview by which a write was rejected */
function useShowing(
  call: PreviewedCall,
  { value, refresh }: Resource<Preview>,
  since: RefObject<string | undefined>,
): Preview | null {
  const show = useContext(ShowPreviewContext);
  const cache = useResourceCache();
  const [outdated, setOutdated] = useState<Preview | null>(null);
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    const reload = async (): Promise<void> => {
      setOutdated((first) => first ?? value ?? null);
      since.current ??= value?.etag ?? undefined;
      // What the page shows besides has changed, too.
      void cache.invalidate([]);
      await refresh();
    };
    return value && show({ call: latest.current, etag: value.etag, reload });
  }, [show, cache, value, refresh, since]);
  return outdated;
}

function Effect({ effect: { text, count, people, hasMorePeople } }: { effect: PreviewEffect }) {
  return (
    <li>
      {text}
      {people && people.length > 0 && (
        <details>
          <summary>
            <Trans>Show people</Trans>
          </summary>
          <ul>
            {people.map(({ userId, teamId, displayName }) => (
              <li key={`${userId} ${teamId}`}>{displayName ?? userId ?? t`New user`}</li>
            ))}
            {hasMorePeople && <li>{t`${formatCount(count - people.length)} more`}</li>}
          </ul>
        </details>
      )}
    </li>
  );
}
