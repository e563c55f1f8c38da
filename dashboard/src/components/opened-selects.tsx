import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** `typed`: the text of the field when it was opened. */
type Opened<Props> = Props & { typed: string };

/** A select in place of its field. It has the focus, and its list is open. */
export function OpenedSelect({ typed, ...props }: Opened<SelectProps>) {
  const [search, setSearch] = useState(typed);
  // The select itself begins with the label of its value.
  useEffect(() => setSearch(typed), [typed]);
  useListOfField();
  return <Select {...props} autoFocus defaultDropdownOpened searchValue={search} onSearchChange={setSearch} />;
}

export function OpenedMultiSelect({ typed, ...props }: Opened<MultiSelectProps>) {
  useListOfField();
  return <MultiSelect {...props} autoFocus defaultDropdownOpened defaultSearchValue={typed} />;
}

/** Renders again when the list is there, because only then the field says that it is expanded, and names its list. */
function useListOfField(): void {
  const [, setIsListed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsListed(true));
    return () => clearTimeout(timer);
  }, []);
}
