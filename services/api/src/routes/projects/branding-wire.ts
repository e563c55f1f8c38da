import type { BrandingPatch, BrandingView } from '@gatebook/contract/branding';
import type { ProjectBranding, ProjectSettings } from '@gatebook/domain/project/config';

export const toBrandingView = ({ branding }: Pick<ProjectSettings, 'branding'>): BrandingView => ({
  logo_url: branding.logoUrl,
  dark_logo_url: branding.darkLogoUrl,
  accent_color: branding.accentColor,
});

/** Omitted fields are unchanged. */
export const changedBranding = (
  { branding: before }: Pick<ProjectSettings, 'branding'>,
  { logo_url = before.logoUrl, dark_logo_url = before.darkLogoUrl, accent_color = before.accentColor }: BrandingPatch,
): ProjectBranding => ({ logoUrl: logo_url, darkLogoUrl: dark_logo_url, accentColor: accent_color });
