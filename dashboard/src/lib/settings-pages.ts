import { t } from '@lingui/core/macro';

/** A card of a settings page: `hash` is the ID of its heading. */
type Section = { hash: string; label: string; keywords: string };
export type SettingsPage = { path: string; label: string; keywords: string; sections: readonly Section[] };

/** The pages of the settings, in the order of their list. `path` is below that of the project. */
export const settingsPages: readonly SettingsPage[] = [
  {
    path: '/settings/general',
    label: t`General`,
    keywords: 'name description id',
    sections: [
      { hash: 'branding-title', label: t`Branding`, keywords: 'logo color dark theme look design' },
      { hash: 'user-switches-title', label: t`Users and teams`, keywords: 'delete create team api keys' },
      { hash: 'production-title', label: t`Production mode`, keywords: 'development' },
    ],
  },
  {
    path: '/settings/sign-in-methods',
    label: t`Sign-in methods`,
    keywords: 'password passkey code magic link sign-up anonymous',
    sections: [{ hash: 'password-migration-title', label: t`Password migration`, keywords: 'import' }],
  },
  {
    path: '/settings/providers',
    label: t`Providers`,
    keywords: 'oauth google github microsoft apple login social',
    sections: [{ hash: 'openid-providers-title', label: t`OpenID Connect providers`, keywords: 'oidc sso issuer' }],
  },
  {
    path: '/settings/domains',
    label: t`Domains`,
    keywords: 'redirect trusted url localhost wildcard',
    sections: [],
  },
  {
    path: '/settings/email',
    label: t({ message: 'Email', context: 'settings' }),
    keywords: 'sender smtp server',
    sections: [],
  },
  {
    path: '/settings/security',
    label: t`Sessions and security`,
    keywords: 'verification notices recent sign-in password rules',
    sections: [
      { hash: 'retention-title', label: t`Deletion and retention`, keywords: 'grace period restore failed sign-ins' },
      { hash: 'quotas-title', label: t`Quotas`, keywords: 'limits' },
    ],
  },
  {
    path: '/members',
    label: t`Members`,
    keywords: 'owners developers support access invite people',
    sections: [
      { hash: 'roles-title', label: t`Roles`, keywords: 'owner developer support read-only rights' },
      { hash: 'transfer-title', label: t`Transfer project`, keywords: 'hand over owner' },
    ],
  },
  { path: '/settings/keys', label: t`Project keys`, keywords: 'api keys rotate secret', sections: [] },
  {
    path: '/settings/danger-zone',
    label: t`Danger zone`,
    keywords: 'delete project grace period',
    sections: [],
  },
];

/** All pages and their cards, as they are searched. */
export const settingsEntries = settingsPages.flatMap(({ sections, ...page }) => [
  page,
  ...sections.map(({ hash, ...section }) => ({ ...section, path: `${page.path}#${hash}` })),
]);
