import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { PlainLink } from './app-link.tsx';
import classes from './table.module.css';

type TableProps = {
  children: ReactNode;
  /** Rows with less space above and below. */
  isCompact?: boolean;
  className?: string | undefined;
};

/** Rows with the attribute `data-selected` are highlighted. */
export function Table({ children, isCompact = false, className = '' }: TableProps) {
  return (
    <table className={`${classes.table} ${className}`.trimEnd()} {...(isCompact && { 'data-compact': true })}>
      {children}
    </table>
  );
}

/** A link that covers the whole row of a table. */
export function RowLink(props: Omit<ComponentPropsWithoutRef<typeof PlainLink>, 'className'>) {
  return <PlainLink className={classes.link} {...props} />;
}

type Direction = 'ascending' | 'descending';
export type SortProps<Order> = { order: Order; onSort: (order: Order) => void };
type HeadProps<Order> = SortProps<Order> & {
  title: string;
  className?: string | undefined;
  first: readonly [Order, Direction];
  second: readonly [Order, Direction];
};

/** The head of a column: the first press sorts by the first order, the next one by the second. */
export function SortableHead<Order>({ title, className, first, second, order, onSort }: HeadProps<Order>) {
  const [, direction] = [first, second].find(([each]) => each === order) ?? [];
  const Arrow = direction === undefined ? IconArrowsSort : direction === 'ascending' ? IconArrowUp : IconArrowDown;
  return (
    <th scope="col" className={className} {...(direction && { 'aria-sort': direction })}>
      <button type="button" className={classes.sort} onClick={() => onSort(order === first[0] ? second[0] : first[0])}>
        {title} <Arrow size={14} aria-hidden />
      </button>
    </th>
  );
}
