'use client';

import type { ReactNode } from 'react';

/** Colors of the components, as CSS colors. */
export type ThemeColor =
  | 'background'
  | 'foreground'
  | 'card'
  | 'cardForeground'
  | 'popover'
  | 'popoverForeground'
  | 'primary'
  | 'primaryForeground'
  | 'secondary'
  | 'secondaryForeground'
  | 'muted'
  | 'mutedForeground'
  | 'accent'
  | 'accentForeground'
  | 'destructive'
  | 'destructiveForeground'
  | 'border'
  | 'input'
  | 'ring';
type Colors = Partial<Record<ThemeColor, string>>;
export type Theme = {
  light?: Colors;
  dark?: Colors;
  /** The corners of buttons and fields, such as `0.5rem`. */
  radius?: string;
};
type ThemeProps = { theme?: Theme; nonce?: string; children?: ReactNode };

/** Sets the CSS custom properties `--gatebook-light-…`, `--gatebook-dark-…` and `--gatebook-radius` of the page. */
export function GatebookTheme({ theme = {}, nonce, children }: ThemeProps) {
  const css = `:root{${declarations(theme).join('')}}`;
  return (
    <>
      <style nonce={nonce}>{css}</style>
      {children}
    </>
  );
}

function declarations({ light = {}, dark = {}, radius }: Theme): string[] {
  return [
    ...Object.entries(light).map(([name, value]) => declaration(`light-${toKebabCase(name)}`, value)),
    ...Object.entries(dark).map(([name, value]) => declaration(`dark-${toKebabCase(name)}`, value)),
    ...(radius === undefined ? [] : [declaration('radius', radius)]),
  ];
}

/** Without characters that end the declaration, or that React escapes on a server. */
const declaration = (name: string, value: string): string =>
  `--gatebook-${name}:${value.replaceAll(/[<>{};&"']/g, '')};`;

const toKebabCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
