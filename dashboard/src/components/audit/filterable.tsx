import type { AuditEvent, AuditTarget } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import classes from './audit.module.css';
import type { OnFilter, ValueFilter } from './audit-search.ts';
import { nounOf } from './nouns.ts';

/** Actors without an ID are selected by their kind. */
export const actorValue = ({ actor }: AuditEvent): ValueFilter =>
  actor.id === null ? { kind: actor.kind } : { actor: actor.id };

export const targetValue = ({ type, id }: AuditTarget): ValueFilter => ({ target: `${type}:${id}` });

export const describeTarget = ({ type, displayName, isErased }: AuditTarget): string =>
  displayName ?? (isErased ? t`deleted ${nounOf(type)}` : nounOf(type));

type FilterableProps = {
  label: string;
  title?: string;
  filter: ValueFilter;
  onFilter: OnFilter | undefined;
};

/** A value that shows only its events when clicked, and leaves them out with Alt. */
export function Filterable({ label, title, filter, onFilter }: FilterableProps) {
  if (!onFilter) return <span title={title}>{label}</span>;
  const hint = t`Show only these events. With Alt: leave them out.`;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || event.key !== 'Enter') return;
    event.preventDefault();
    onFilter(filter, true);
  };
  return (
    <UnstyledButton
      className={classes.filterable}
      title={title ? `${title}\n${hint}` : hint}
      aria-keyshortcuts="Alt+Enter"
      onClick={(event) => onFilter(filter, event.altKey)}
      onKeyDown={onKeyDown}
    >
      {label}
    </UnstyledButton>
  );
}
