import { useState } from 'react';
import { late, useLate } from '../../lib/late.ts';
import { FilterButton } from './filter-button.tsx';
import type { UsersFiltersProps } from './opened-users-filters.tsx';

const code = late(async () => (await import('./opened-users-filters.tsx')).OpenedUsersFilters);

/** A button that opens the fields of all filters. Each applies at once. */
export function UsersFilters(props: UsersFiltersProps) {
  const [isOpened, setOpened] = useState(false);
  const Opened = useLate(code, isOpened, () => setOpened(false));
  if (isOpened && Opened) return <Opened {...props} />;
  return <FilterButton aria-haspopup="dialog" aria-expanded={false} onClick={() => setOpened(true)} />;
}
