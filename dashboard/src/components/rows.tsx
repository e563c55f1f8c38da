import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './rows.module.css';
import { ErrorNote, RowsLoading } from './states.tsx';
import { Writing } from './writing.tsx';

type List<Item> = {
  value: readonly Item[] | undefined;
  error: unknown;
  isFetching: boolean;
  refresh: () => Promise<void>;
};
type RowsProps<Item> = {
  list: List<Item>;
  /** Accessible name of the loading state. */
  label: string;
  empty: ReactNode;
  children: (item: Item) => ReactNode;
};

/** The rows of a card: loading, error, empty or filled. */
export function Rows<Item>({ list, label, empty, children }: RowsProps<Item>) {
  const { value, error, isFetching, refresh } = list;
  return (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} isRetrying={isFetching} />}
      {value === undefined && error === undefined && <RowsLoading rows={2} label={label} />}
      {value?.length === 0 && (
        <Text size="sm" c="dimmed" p="lg" component="div">
          {empty}
        </Text>
      )}
      {value && value.length > 0 && <ul className={classes.rows}>{value.map(children)}</ul>}
    </>
  );
}

type RowProps = {
  icon?: ReactNode;
  children: ReactNode;
  small?: ReactNode;
  /** Controls that only show more. */
  details?: ReactNode;
  /** Controls that change something. */
  actions?: ReactNode;
};

export function Row({ icon, children, small, details, actions }: RowProps) {
  return (
    <li className={classes.row}>
      {icon}
      <div className={classes.text}>
        {children}
        {small && <small>{small}</small>}
      </div>
      {(details || actions) && (
        <div className={classes.actions}>
          {details}
          {actions && <Writing>{actions}</Writing>}
        </div>
      )}
    </li>
  );
}
