import { t } from '@lingui/core/macro';
import { groupTypes, withoutCovered } from './type-patterns.ts';

export type TypeSelectValue = {
  types: readonly { type: string }[];
  /** Types and wildcards. */
  value: readonly string[];
  onChange: (patterns: string[]) => void;
};

/** What a select of several values needs to choose types of events, also by wildcards. */
export const typeSelectProps = ({ types, value, onChange }: TypeSelectValue) => ({
  clearable: true,
  hidePickedOptions: true,
  clearButtonProps: { 'aria-label': t`Clear types` },
  nothingFoundMessage: t`No such type`,
  maxDropdownHeight: 320,
  data: groupTypes(types),
  value: [...value],
  onChange: (patterns: string[]) => onChange(withoutCovered(patterns)),
});
