import { NumberInput } from '@mantine/core';
import type { BlockField } from './block-types.ts';

type Props = {
  field: Extract<BlockField, { kind: 'number' }>;
  value: unknown;
  /** undefined: the default of the email. */
  change: (value: number | undefined) => void;
};

/** A length in the form of a block. */
export function NumberField({ field: { label, placeholder }, value, change }: Props) {
  return (
    <NumberInput
      label={label}
      placeholder={placeholder}
      min={0}
      max={2_000}
      clampBehavior="strict"
      suffix=" px"
      value={typeof value === 'number' ? value : ''}
      onChange={(next) => change(typeof next === 'number' ? next : undefined)}
    />
  );
}
