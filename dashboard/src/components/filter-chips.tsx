import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Pill } from '@mantine/core';
import classes from './filter-chips.module.css';

type Props<Field extends string> = {
  filters: readonly { field: Field; label: string }[];
  onRemove: (fields: readonly Field[]) => void;
};

/** The filters that are set, each with a button that removes it. */
export function FilterChips<Field extends string>({ filters, onRemove }: Props<Field>) {
  if (filters.length === 0) return null;
  return (
    <div className={classes.chips}>
      {filters.map(({ field, label }) => (
        <Pill
          key={field}
          withRemoveButton
          removeButtonProps={{ 'aria-label': t`Remove filter: ${label}`, tabIndex: 0, 'aria-hidden': false }}
          onRemove={() => onRemove([field])}
        >
          {label}
        </Pill>
      ))}
      <Button variant="subtle" size="compact-xs" onClick={() => onRemove(filters.map(({ field }) => field))}>
        <Trans>Clear filters</Trans>
      </Button>
    </div>
  );
}
