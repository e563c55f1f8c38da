import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { formatCount } from '../lib/format.ts';
import { diffJson, jsonBytes, parseJsonText } from '../lib/json-text.ts';
import { FieldChanges } from './audit/field-changes.tsx';
import classes from './json-editor.module.css';

type Props = {
  label: string;
  description: string;
  /** Text that is being edited; empty for no value. */
  text: string;
  onChange: (text: string) => void;
  /** The value before. */
  saved: unknown;
  maxBytes: number;
};

/** Why a text can't be saved; null if it can. */
export function jsonTextFault(text: string, maxBytes: number): string | null {
  const { value, fault } = parseJsonText(text);
  if (fault !== null) return t`Line ${fault.line}, column ${fault.column}: ${fault.message}`;
  const bytes = jsonBytes(value);
  return bytes > maxBytes ? t`Shorten this to ${formatCount(maxBytes)} bytes. It has ${formatCount(bytes)}.` : null;
}

/** Edits a JSON value as text: says while typing where it is wrong, how large it is and what will change. */
export function JsonEditor({ label, description, text, onChange, saved, maxBytes }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const { value, fault } = parseJsonText(text);
  const changes = fault === null ? diffJson((saved ?? null) as typeof value, value) : [];
  const goToFault = (): void => {
    area.current?.focus();
    area.current?.setSelectionRange(fault?.offset ?? 0, fault?.offset ?? 0);
  };
  return (
    <div>
      <Textarea
        ref={area}
        label={label}
        description={description}
        classNames={{ input: classes.input }}
        autosize
        minRows={3}
        maxRows={14}
        spellCheck={false}
        value={text}
        error={jsonTextFault(text, maxBytes)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div className={classes.foot}>
        {fault === null ? (
          <Text size="xs" c="dimmed">
            {t`${formatCount(value === null ? 0 : jsonBytes(value))} of ${formatCount(maxBytes)} bytes`}
          </Text>
        ) : (
          <Button size="compact-xs" variant="subtle" onClick={goToFault}>
            <Trans>Go to the error</Trans>
          </Button>
        )}
      </div>
      {changes.length > 0 && (
        <details className={classes.changes} open>
          <summary>{plural(changes.length, { one: '# change', other: '# changes' })}</summary>
          <FieldChanges changes={changes} />
        </details>
      )}
    </div>
  );
}
