import type { ReactNode } from 'react';
import classes from './facts.module.css';

type FactsProps = {
  children: ReactNode;
  /** Smaller, for details within a list. */
  isDense?: boolean;
};

/** Names and values, side by side. */
export function Facts({ children, isDense = false }: FactsProps) {
  return (
    <dl className={classes.facts} {...(isDense && { 'data-dense': true })}>
      {children}
    </dl>
  );
}

/** Shows nothing without a value. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
