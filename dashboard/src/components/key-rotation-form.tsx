import type { PreviewedCall } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { daysFromNow } from '../lib/key-lifetimes.ts';
import { PreviewNote } from './changes/preview-note.tsx';
import { DialogForm } from './dialog-form.tsx';
import { useMarkSaved } from './form-dialog-state.ts';

/** For how many days both keys work. */
const overlaps = [
  { value: '0', label: t`Immediately` },
  { value: '1', label: t`After a day` },
  { value: '7', label: t`After a week` },
  { value: '30', label: t`After 30 days` },
];

type Rotation<Expiry> = { expiresAt: Expiry; oldExpiresAt: Date };
type Props<Expiry> = {
  children: ReactNode;
  submitLabel: string;
  oldLabel: string;
  newLabel: string;
  /** Of the new key; `value` 365 is chosen at first. */
  lifetimes: { value: string; label: string }[];
  expiryOf: (lifetime: string, now: Date) => Expiry;
  callOf: (rotation: Rotation<Expiry>) => PreviewedCall;
  rotate: (rotation: Rotation<Expiry>) => Promise<void>;
  onDone?: () => void;
  onClose: () => void;
};

/** Replaces a key by a new one, while both work for a time. */
export function KeyRotationForm<Expiry>(props: Props<Expiry>) {
  const { children, submitLabel, oldLabel, newLabel, lifetimes, expiryOf, callOf, rotate, onDone, onClose } = props;
  const [lifetime, setLifetime] = useState('365');
  const [overlap, setOverlap] = useState('7');
  const [openedAt] = useState(() => new Date());
  const rotation = {
    expiresAt: expiryOf(lifetime, openedAt),
    oldExpiresAt: daysFromNow(Number(overlap), openedAt),
  };
  const markSaved = useMarkSaved();
  const action = useAction(async () => {
    await rotate(rotation);
    markSaved();
  });
  return (
    <DialogForm action={action} submitLabel={submitLabel} onDone={() => onDone?.()} onClose={onClose}>
      {children}
      <NativeSelect
        label={oldLabel}
        data={overlaps}
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
      />
      <NativeSelect
        label={newLabel}
        data={lifetimes}
        value={lifetime}
        onChange={(event) => setLifetime(event.currentTarget.value)}
      />
      <PreviewNote call={callOf(rotation)} />
    </DialogForm>
  );
}
