import { type Branding, brandColors } from '@gatebook/js/core';
import type { CSSProperties } from 'react';
import { useProductName, useProject } from './context.ts';

/** The logo of the project, or else the name of the product. */
export function Brand() {
  const product = useProductName();
  const { logoUrl = null, darkLogoUrl = null } = useProject().value?.config.branding ?? {};
  if (logoUrl === null) return <span className="gbh-brand">{product}</span>;
  if (darkLogoUrl === null) return <img className="gbh-logo" src={logoUrl} alt={product} />;
  return (
    <>
      <img className="gbh-logo" data-mode="light" src={logoUrl} alt={product} />
      <img className="gbh-logo" data-mode="dark" src={darkLogoUrl} alt={product} />
    </>
  );
}

/** The accent color of the project, unless the theme of the app has one. */
export function brandStyle(branding: Branding | undefined): CSSProperties | undefined {
  const given = branding?.accentColor;
  if (!given) return undefined;
  const { accent, onAccent, lightLink, darkLink } = brandColors(given);
  const either = (name: string, light: string, dark = light) =>
    `light-dark(var(--gatebook-light-${name}, ${light}), var(--gatebook-dark-${name}, ${dark}))`;
  return {
    '--gbh-accent': either('primary', accent),
    '--gbh-accent-hover': either('primary', `color-mix(in srgb, ${accent} 88%, black)`),
    '--gbh-on-accent': either('primary-foreground', onAccent),
    '--gbh-link': either('primary', lightLink, darkLink),
  } as CSSProperties;
}
