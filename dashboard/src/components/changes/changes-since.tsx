import type { Preview } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId } from 'react';
import classes from './changes.module.css';

/** What has happened since a preview by which a write was rejected, and how its effects differ. */
export function ChangesSince({ before, now }: { before: Preview; now: Preview }) {
  const id = useId();
  const lines = linesOf(before, now);
  if (lines.length === 0) return null;
  return (
    <div className={classes.since}>
      <p id={id}>
        <Trans>Since you opened this:</Trans>
      </p>
      <ul className={classes.effects} aria-labelledby={id}>
        {lines.map(([key, text]) => (
          <li key={key}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

function linesOf(before: Preview, now: Preview): [key: string, text: string][] {
  const added = textsOnlyIn(now, before).map((text): [string, string] => [`new ${text}`, t`New: ${text}`]);
  const removed = textsOnlyIn(before, now).map((text): [string, string] => [`gone ${text}`, t`No longer: ${text}`]);
  const events = (now.changedSince ?? []).map(({ text }, nth): [string, string] => [`event ${nth}`, text]);
  return [...events, ...added, ...removed];
}

function textsOnlyIn({ effects }: Preview, other: Preview): string[] {
  const known = new Set(other.effects.map(({ text }) => text));
  return effects.flatMap(({ text }) => (known.has(text) ? [] : [text]));
}
