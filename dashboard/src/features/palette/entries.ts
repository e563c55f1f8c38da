/** Something that can be chosen. `note`: what tells it from others of the same name. */
export type Entry = { id: string; label: string; note?: string | undefined; keywords?: string; run: () => void };
export type Section = { label: string; entries: readonly Entry[] };

/** Every word of the text is part of the entry. */
export function matches({ label, note = '', keywords = '' }: Entry, text: string): boolean {
  const searched = `${label} ${note} ${keywords}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

/** Cards of the settings page, by the ID of their headings. */
export const settings: readonly { hash: string; label: string; keywords: string }[] = [
  { hash: 'general-title', label: 'General', keywords: 'name description' },
  { hash: 'sign-in-title', label: 'Sign-in methods', keywords: 'password passkey code magic link sign-up' },
  { hash: 'security-title', label: 'Security', keywords: 'verification notices two-factor' },
  { hash: 'providers-title', label: 'OAuth providers', keywords: 'google github microsoft apple login' },
  { hash: 'openid-providers-title', label: 'OpenID Connect providers', keywords: 'oidc sso issuer' },
  { hash: 'password-migration-title', label: 'Password migration', keywords: 'import' },
  { hash: 'user-switches-title', label: 'Users and teams', keywords: 'delete create team api keys' },
  { hash: 'deletion-title', label: 'User deletion', keywords: 'grace period' },
  { hash: 'team-deletion-title', label: 'Team deletion', keywords: 'grace period' },
  { hash: 'quotas-title', label: 'Quotas', keywords: 'limits' },
  { hash: 'domains-title', label: 'Domains', keywords: 'redirect trusted url localhost' },
  { hash: 'production-title', label: 'Production mode', keywords: 'development' },
  { hash: 'delete-title', label: 'Delete project', keywords: 'danger' },
];
