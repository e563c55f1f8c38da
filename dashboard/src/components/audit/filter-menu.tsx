import type { AuditEvent } from '@gatebook/js/admin';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { LateMenu, type LateMenuParts } from '../late-menu.tsx';
import { describeActor } from './audit-pages.ts';
import type { OnFilter, ValueFilter } from './audit-search.ts';
import { filterTexts } from './filter-texts.ts';
import { actorValue, targetValue } from './filterable.tsx';
import { nounOf } from './nouns.ts';

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
