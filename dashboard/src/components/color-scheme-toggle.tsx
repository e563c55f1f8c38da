import { t } from '@lingui/core/macro';
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

/** Follows the system's color scheme until the user chooses one. */
export function ColorSchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = current === 'dark' ? 'light' : 'dark';
  const label = other === 'dark' ? t`Switch to dark mode` : t`Switch to light mode`;
  const Icon = current === 'dark' ? IconSun : IconMoon;
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={() => setColorScheme(other)}>
      <Icon size={17} aria-hidden />
    </ActionIcon>
  );
}
