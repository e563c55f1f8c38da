import { brandColors } from '@gatebook/js/core';
import type { CSSProperties } from 'react';

/** The accent color of the project, unless the theme of the app has one. */
export function brandStyle(accentColor: string): CSSProperties {
  const { accent, onAccent, lightLink, darkLink } = brandColors(accentColor);
  const either = (name: string, light: string, dark = light) =>
    `light-dark(var(--gatebook-light-${name}, ${light}), var(--gatebook-dark-${name}, ${dark}))`;
  return {
    '--gbh-accent': either('primary', accent),
    '--gbh-accent-hover': either('primary', `color-mix(in srgb, ${accent} 88%, black)`),
    '--gbh-on-accent': either('primary-foreground', onAccent),
    '--gbh-link': either('primary', lightLink, darkLink),
  } as CSSProperties;
}
