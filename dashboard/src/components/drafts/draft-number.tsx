import { TextInput } from '@mantine/core';
import type { DraftFieldProps } from './draft-fields.tsx';

type NumberProps<Values> = DraftFieldProps<Values, number | null> & { min: number; max?: number };

/** A whole number; null while the field is empty. A number outside of the limits becomes the limit on leaving. */
export function DraftNumber<Values>({
  draft,
  name,
  description,
  min,
  max = Number.MAX_SAFE_INTEGER,
}: NumberProps<Values>) {
  const value = draft.values[name] as number | null;
  const set = (next: number | null): void => draft.set(name, next as Values[typeof name]);
  return (
    <TextInput
      label={draft.fields[name].label}
      description={description}
      inputMode="numeric"
      autoComplete="off"
      value={value ?? ''}
      error={draft.faultOf(name)}
      onChange={({ currentTarget }) => {
        const digits = currentTarget.value.replace(/\D/g, '');
        set(digits === '' ? null : Math.min(Number(digits), Number.MAX_SAFE_INTEGER));
      }}
      onBlur={() => {
        const limited = value === null ? null : Math.min(max, Math.max(min, value));
        if (limited !== value) set(limited);
      }}
    />
  );
}
