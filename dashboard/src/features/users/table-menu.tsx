import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { LateMenu } from '../../components/late-menu.tsx';
import { allColumns, columnNames, type TableSettings } from './table-settings.ts';

type Props = { settings: TableSettings; onChange: (settings: TableSettings) => void };

/** Chooses columns and the density of the list. */
export function TableMenu({ settings, onChange }: Props) {
  const { columns, isCompact } = settings;
  return (
    <LateMenu
      position="bottom-end"
      withinPortal
      closeOnItemClick={false}
      button={
        <ActionIcon variant="default" size={36} aria-label={t`Columns and density`}>
          <IconAdjustmentsHorizontal size={18} aria-hidden />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Label>
            <Trans>Columns</Trans>
          </Menu.Label>
          {allColumns.map((name) => (
            <Menu.CheckboxItem
              key={name}
              checked={columns.includes(name)}
              onChange={() =>
                onChange({
                  ...settings,
                  columns: allColumns.filter((each) => (each === name) !== columns.includes(each)),
                })
              }
            >
              {columnNames[name]}
            </Menu.CheckboxItem>
          ))}
          <Menu.Divider />
          <Menu.CheckboxItem checked={isCompact} onChange={() => onChange({ ...settings, isCompact: !isCompact })}>
            <Trans>Compact rows</Trans>
          </Menu.CheckboxItem>
        </>
      )}
    </LateMenu>
  );
}
