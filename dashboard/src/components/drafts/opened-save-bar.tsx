import type { PreviewedCall } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { PreviewNote } from '../changes/preview-note.tsx';
import { useMarkSaved } from '../form-dialog-state.ts';
import { ErrorNote } from '../states.tsx';
import classes from './save-bar.module.css';
import type { Draft } from './use-draft.ts';

export type SaveBarProps<Values> = {
  draft: Draft<Values>;
  /** What saving calls, for its preview. */
  calls?: readonly PreviewedCall[];
  /** Also reads the saved values again. */
  save: (changes: Partial<Values>) => Promise<unknown>;
};

/** What would be saved: each field before and after, and the effects. */
export function OpenedSaveBar<Values extends object>({ draft, calls = [], save }: SaveBarProps<Values>) {
  const { changes, values, saved, fields, check, discard } = draft;
  const names = Object.keys(changes) as (keyof Values)[];
  const markSaved = useMarkSaved();
  const drop = (dropped?: Partial<Values>): void => {
    discard(dropped);
    markSaved();
  };
  const action = useAction(async () => {
    await save(changes);
    drop(changes);
  });
  const hasFault = (Object.keys(fields) as (keyof Values)[]).some((name) => draft.faultOf(name) !== null);
  const textOf = (name: keyof Values, value: Values[keyof Values]): string =>
    fields[name].text?.(value) ?? defaultText(value);
  return (
    <section className={classes.bar} aria-label={t`Unsaved changes`}>
      <div className={classes.scroll}>
        <p className={classes.title} role="status">
          {plural(names.length, { one: '# unsaved change', other: '# unsaved changes' })}
        </p>
        <ul className={classes.changes}>
          {names.map((name) => (
            <li key={String(name)}>
              <span className={classes.field}>{fields[name].label}:</span>{' '}
              {fields[name].describe ? (
                <ins>{fields[name].describe(saved[name], values[name])}</ins>
              ) : (
                <>
                  <del>{textOf(name, saved[name])}</del>{' '}
                  <span aria-hidden className={classes.arrow}>
                    →
                  </span>{' '}
                  <ins>{textOf(name, values[name])}</ins>
                </>
              )}
            </li>
          ))}
        </ul>
        {!hasFault && calls.map((call) => <PreviewNote key={`${call.method} ${call.path}`} call={call} />)}
        {hasFault && (
          <Text size="sm" c="red" role="alert">
            <Trans>Correct the marked fields first.</Trans>
          </Text>
        )}
        {action.error !== undefined && <ErrorNote error={action.error} />}
      </div>
      <Group gap="xs" justify="flex-end">
        <Button
          variant="default"
          disabled={action.isRunning}
          onClick={() => {
            action.reset();
            drop();
          }}
        >
          <Trans>Discard</Trans>
        </Button>
        <Button loading={action.isRunning} onClick={() => check() && void action.run()}>
          <Trans>Save</Trans>
        </Button>
      </Group>
    </section>
  );
}

function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return value ? t`On` : t`Off`;
  const text = String(value);
  return text === '' ? t`empty` : text;
}
