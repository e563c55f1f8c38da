import type { Project } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

export type SetupStep = { id: string; label: string; why: string; isDone: boolean; path: string };

/** What a project needs before it serves real users. Read from its state, so nothing is ticked off by hand. */
export function setupSteps({ userCount, isProductionMode, config }: Project): readonly SetupStep[] {
  const { magicLinkEnabled, passkeyEnabled, oauthProviders, domains, emailConfig, branding } = config;
  return [
    {
      id: 'sign-up',
      label: t`Sign up the first user`,
      why: t`Connect your app, or create a user on the page Users.`,
      isDone: userCount > 0,
      path: 'get-started',
    },
    {
      id: 'methods',
      label: t`Add a sign-in method besides passwords`,
      why: t`A provider with keys of your own, email codes, or passkeys.`,
      isDone: magicLinkEnabled || passkeyEnabled || oauthProviders.some(({ type }) => type === 'standard'),
      path: 'settings/sign-in-methods',
    },
    {
      id: 'domain',
      label: t`Add the domain of your app`,
      why: t`Until then, links and redirects work for localhost only.`,
      isDone: domains.length > 0,
      path: 'settings/domains',
    },
    {
      id: 'email',
      label: t`Set up your own email server`,
      why: t`Emails then come from your address.`,
      isDone: emailConfig.type === 'standard',
      path: 'settings/email',
    },
    {
      id: 'branding',
      label: t`Add your logo and color`,
      why: t`Sign-in pages and emails show them.`,
      isDone: branding.logoUrl !== null || branding.accentColor !== null,
      path: 'settings/general#branding-title',
    },
    {
      id: 'production',
      label: t`Turn on production mode`,
      why: t`It rejects settings that are for development only.`,
      isDone: isProductionMode,
      path: 'settings/general#production-title',
    },
  ];
}
