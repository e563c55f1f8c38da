import { t } from '@lingui/core/macro';
import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { groupTypes, withoutCovered } from './type-patterns.ts';

type TypeSelectProps = Omit<MultiSelectProps, 'data' | 'value' | 'onChange' | 'searchable' | 'clearable'> & {
  types: readonly { type: string }[];
  /** Types and wildcards. */
  value: readonly string[];
  onChange: (patterns: string[]) => void;
};

/** Chooses types of events, also by wildcards. */
export function TypeSelect({ types, value, onChange, ...props }: TypeSelectProps) {
  return (
    <MultiSelect
      searchable
      clearable
      hidePickedOptions
      clearButtonProps={{ 'aria-label': t`Clear types` }}
      nothingFoundMessage={t`No such type`}
      maxDropdownHeight={320}
      data={groupTypes(types)}
      value={[...value]}
      onChange={(patterns) => onChange(withoutCovered(patterns))}
      {...props}
    />
  );
}
