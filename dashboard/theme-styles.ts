import {
  convertCssVariables,
  DEFAULT_THEME,
  deepMerge,
  defaultCssVariablesResolver,
  em,
  mergeMantineTheme,
  px,
} from '@mantine/core';
import type { Plugin } from 'vite';
import { cssVariables, look } from './src/theme/look.ts';

const file = `${import.meta.dirname}/src/theme/computed.css`;

/** Styles that `MantineProvider` would compute in each browser. */
export function themeStyles(): Plugin {
  return {
    name: 'styles of the theme',
    load: (id) => (id === file ? writeThemeStyles() : null),
  };
}

type Variables = ReturnType<typeof defaultCssVariablesResolver>;
const groups = ['variables', 'light', 'dark'] as const;

export function writeThemeStyles(): string {
  const theme = mergeMantineTheme(DEFAULT_THEME, look);
  const variables = deepMerge(defaultCssVariablesResolver(theme), cssVariables(theme)) as Variables;
  // Mantine's own stylesheet has the defaults.
  const defaults = defaultCssVariablesResolver(DEFAULT_THEME);
  const own = (group: (typeof groups)[number]) =>
    Object.fromEntries(
      Object.entries(variables[group]).filter(([name, value]) => defaults[group][name as never] !== value),
    );
  const css = convertCssVariables({ variables: own('variables'), light: own('light'), dark: own('dark') });
  const classes = Object.entries(theme.breakpoints).map(([name, size]) => {
    const width = Number(px(size));
    return `@media (max-width: ${em(width - 0.1)}) {.mantine-visible-from-${name} {display: none !important;}}
@media (min-width: ${em(width)}) {.mantine-hidden-from-${name} {display: none !important;}}`;
  });
  return [css, ...classes].join('\n');
}
