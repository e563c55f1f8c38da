import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type AuditSearch, millisOf } from '../../components/audit/audit-search.ts';
import { fieldTextOf, ownZone, timeInField } from '../../lib/zone.ts';

type Props = { search: AuditSearch; onChange: (change: Partial<AuditSearch>) => void; onClose: () => void };

/** Limits the log to the time between two moments. */
export function RangeDialog({ isOpen, ...form }: Props & { isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title={t`Time range`}>
      <RangeForm {...form} />
    </Modal>
  );
}

function RangeForm({ search, onChange, onClose }: Props) {
  const [isUtc, setUtc] = useState(search.zone !== undefined);
  const [from, setFrom] = useState(() => millisOf(search.from, Date.now()) ?? null);
  const [until, setUntil] = useState(() => millisOf(search.until, Date.now()) ?? null);
  const zone = isUtc ? 'UTC' : ownZone();
  const isReversed = from !== null && until !== null && until <= from;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReversed) return;
    onChange({
      from: from === null ? undefined : String(from),
      until: until === null ? undefined : String(until),
      zone: isUtc ? 'utc' : undefined,
    });
    onClose();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TimeField key={`from ${isUtc}`} label={t`From`} millis={from} isUtc={isUtc} onChange={setFrom} />
        <TimeField
          key={`until ${isUtc}`}
          label={t`Until`}
          millis={until}
          isUtc={isUtc}
          onChange={setUntil}
          error={isReversed ? t`Must be later than the beginning` : null}
        />
        <Switch label={t`Times in UTC`} checked={isUtc} onChange={(event) => setUtc(event.currentTarget.checked)} />
        <Text size="sm" c="dimmed">
          {t`Time zone: ${zone}`}. <Trans>An empty field does not limit the time.</Trans>
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" disabled={isReversed}>
            <Trans>Show</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type FieldProps = {
  label: string;
  millis: number | null;
  isUtc: boolean;
  onChange: (millis: number | null) => void;
  error?: string | null;
};

function TimeField({ label, millis, isUtc, onChange, error = null }: FieldProps) {
  const [text, setText] = useState(() => (millis === null ? '' : fieldTextOf(new Date(millis), isUtc)));
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      value={text}
      error={error}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        onChange(timeInField(value, isUtc)?.getTime() ?? null);
      }}
    />
  );
}
