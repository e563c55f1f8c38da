import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { type TypeSelectValue, typeSelectProps } from './type-select-props.ts';

type TypeSelectProps = Omit<MultiSelectProps, 'data' | 'value' | 'onChange' | 'searchable' | 'clearable'> &
  TypeSelectValue;

/** Chooses types of events, also by wildcards. */
export function TypeSelect({ types, value, onChange, ...props }: TypeSelectProps) {
  return <MultiSelect searchable {...typeSelectProps({ types, value, onChange })} {...props} />;
}
