import type { AuditEvent, AuditTarget } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, UnstyledButton } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { LateMenu, type LateMenuParts } from '../late-menu.tsx';
import classes from './audit.module.css';
import { describeActor } from './audit-pages.ts';
import type { OnFilter, ValueFilter } from './audit-search.ts';
import { filterTexts } from './filter-texts.ts';
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

/** The values of an event, by which the list can be filtered. */
function listValues(event: AuditEvent): { label: string; filter: ValueFilter }[] {
  const { type, targets, origin, actionId } = event;
  return [
    { label: filterTexts.type(type), filter: { type } },
    { label: filterTexts.actor(describeActor(event.actor)), filter: actorValue(event) },
    ...targets
      .filter(({ id }) => id !== event.actor.id)
      .map((target) => ({
        label: `${nounOf(target.type)}: ${target.displayName ?? target.id}`,
        filter: targetValue(target),
      })),
    { label: filterTexts.action(actionId), filter: { action: actionId } },
    ...(origin?.ip ? [{ label: filterTexts.ip(origin.ip), filter: { ip: origin.ip } }] : []),
  ];
}

/** The same as clicks on values, for keyboards and touch screens. */
export function FilterMenu({ event, onFilter }: { event: AuditEvent; onFilter: OnFilter }) {
  const values = listValues(event);
  const items = (Menu: LateMenuParts, isExcluded: boolean) =>
    values.map(({ label, filter }) => (
      <Menu.Item key={label} onClick={() => onFilter(filter, isExcluded)}>
        {label}
      </Menu.Item>
    ));
  return (
    <LateMenu
      position="bottom-start"
      button={
        <Button variant="default" size="compact-sm" leftSection={<IconFilter size={14} aria-hidden />}>
          <Trans>Filter</Trans>
        </Button>
      }
    >
      {(Menu) => (
        <>
          <Menu.Label>
            <Trans>Show only</Trans>
          </Menu.Label>
          {items(Menu, false)}
          <Menu.Label>
            <Trans>Leave out</Trans>
          </Menu.Label>
          {items(Menu, true)}
        </>
      )}
    </LateMenu>
  );
}
