import type { OAuthProviderId } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

/** Where an owner gets client ID and secret, and what to do there. The callback URL is shown below. */
export type ProviderSetup = { console: string; steps: readonly string[] };

export const providerSetups: Readonly<Record<OAuthProviderId, ProviderSetup>> = {
  google: {
    console: 'https://console.cloud.google.com/apis/credentials',
    steps: [
      t`Create an OAuth client ID of the type “Web application”.`,
      t`Add the callback URL as an authorized redirect URI.`,
      t`Publish the consent screen. Until then, only test users can sign in.`,
    ],
  },
  github: {
    console: 'https://github.com/settings/developers',
    steps: [
      t`Create an OAuth app.`,
      t`Enter the callback URL as its authorization callback URL.`,
      t`Generate a client secret.`,
    ],
  },
  microsoft: {
    console: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    steps: [
      t`Register an application and choose which accounts can use it.`,
      t`Add the callback URL as a redirect URI of the platform “Web”.`,
      t`Create a client secret and copy its value, not its ID.`,
    ],
  },
  apple: {
    console: 'https://developer.apple.com/account/resources/identifiers/list/serviceId',
    steps: [
      t`Create a Services ID. It is the client ID.`,
      t`Configure Sign in with Apple for it, with the callback URL as a return URL.`,
      t`Sign a client secret with your key. It is valid for six months at most, so replace it in time.`,
    ],
  },
  discord: {
    console: 'https://discord.com/developers/applications',
    steps: [
      t`Create an application.`,
      t`Add the callback URL under OAuth2, Redirects.`,
      t`Reset the client secret to see it.`,
    ],
  },
  facebook: {
    console: 'https://developers.facebook.com/apps',
    steps: [
      t`Create an app and add Facebook Login.`,
      t`Add the callback URL as a valid OAuth redirect URI.`,
      t`Copy app ID and app secret from the basic settings. The email permission needs advanced access.`,
    ],
  },
  gitlab: {
    console: 'https://gitlab.com/-/user_settings/applications',
    steps: [
      t`Add a confidential application.`,
      t`Enter the callback URL as its redirect URI.`,
      t`Select the scope read_user.`,
    ],
  },
  bitbucket: {
    console: 'https://bitbucket.org/account/workspaces/',
    steps: [
      t`Open the settings of a workspace and add an OAuth consumer.`,
      t`Enter the callback URL.`,
      t`Allow it to read account and email. The key is the client ID.`,
    ],
  },
  linkedin: {
    console: 'https://www.linkedin.com/developers/apps',
    steps: [
      t`Create an app.`,
      t`Request the product “Sign In with LinkedIn using OpenID Connect”.`,
      t`Add the callback URL under Auth, Authorized redirect URLs.`,
    ],
  },
  spotify: {
    console: 'https://developer.spotify.com/dashboard',
    steps: [
      t`Create an app with the Web API.`,
      t`Add the callback URL as a redirect URI.`,
      t`Copy client ID and secret.`,
    ],
  },
  x: {
    console: 'https://developer.x.com/en/portal/dashboard',
    steps: [
      t`Create a project with an app.`,
      t`Set up user authentication as a web app, with the callback URL.`,
      t`Copy the OAuth 2.0 client ID and secret.`,
    ],
  },
};
