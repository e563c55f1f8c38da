import { NumberInput } from '@mantine/core';
import type { DraftFieldProps } from './draft-fields.tsx';

type NumberProps<Values> = DraftFieldProps<Values, number | null> & { min: number; max?: number };

/** A whole number; null while the field is empty. */
export function DraftNumber<Values>({ draft, name, description, min, max }: NumberProps<Values>) {
  return (
    <NumberInput
      label={draft.fields[name].label}
      description={description}
      min={min}
      {...(max !== undefined && { max })}
      allowDecimal={false}
      allowNegative={false}
      value={(draft.values[name] as number | null) ?? ''}
      error={draft.faultOf(name)}
      onChange={(value) => draft.set(name, (value === '' ? null : Number(value)) as Values[typeof name])}
    />
  );
}
