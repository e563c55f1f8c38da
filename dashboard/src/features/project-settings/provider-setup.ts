import type { OAuthProviderId } from '@gatebook/js/admin';

/** Where an owner gets client ID and secret, and what to do there. The callback URL is shown below. */
export type ProviderSetup = { console: string; steps: readonly string[] };

export const providerSetups: Readonly<Record<OAuthProviderId, ProviderSetup>> = {
  google: {
    console: 'https://console.cloud.google.com/apis/credentials',
    steps: [
      'Create an OAuth client ID of the type “Web application”.',
      'Add the callback URL as an authorized redirect URI.',
      'Publish the consent screen. Until then, only test users can sign in.',
    ],
  },
  github: {
    console: 'https://github.com/settings/developers',
    steps: [
      'Create an OAuth app.',
      'Enter the callback URL as its authorization callback URL.',
      'Generate a client secret.',
    ],
  },
  microsoft: {
    console: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    steps: [
      'Register an application and choose which accounts can use it.',
      'Add the callback URL as a redirect URI of the platform “Web”.',
      'Create a client secret and copy its value, not its ID.',
    ],
  },
  apple: {
    console: 'https://developer.apple.com/account/resources/identifiers/list/serviceId',
    steps: [
      'Create a Services ID. It is the client ID.',
      'Configure Sign in with Apple for it, with the callback URL as a return URL.',
      'Sign a client secret with your key. It is valid for six months at most, so replace it in time.',
    ],
  },
  discord: {
    console: 'https://discord.com/developers/applications',
    steps: [
      'Create an application.',
      'Add the callback URL under OAuth2, Redirects.',
      'Reset the client secret to see it.',
    ],
  },
  facebook: {
    console: 'https://developers.facebook.com/apps',
    steps: [
      'Create an app and add Facebook Login.',
      'Add the callback URL as a valid OAuth redirect URI.',
      'Copy app ID and app secret from the basic settings. The email permission needs advanced access.',
    ],
  },
  gitlab: {
    console: 'https://gitlab.com/-/user_settings/applications',
    steps: [
      'Add a confidential application.',
      'Enter the callback URL as its redirect URI.',
      'Select the scope read_user.',
    ],
  },
  bitbucket: {
    console: 'https://bitbucket.org/account/workspaces/',
    steps: [
      'Open the settings of a workspace and add an OAuth consumer.',
      'Enter the callback URL.',
      'Allow it to read account and email. The key is the client ID.',
    ],
  },
  linkedin: {
    console: 'https://www.linkedin.com/developers/apps',
    steps: [
      'Create an app.',
      'Request the product “Sign In with LinkedIn using OpenID Connect”.',
      'Add the callback URL under Auth, Authorized redirect URLs.',
    ],
  },
  spotify: {
    console: 'https://developer.spotify.com/dashboard',
    steps: ['Create an app with the Web API.', 'Add the callback URL as a redirect URI.', 'Copy client ID and secret.'],
  },
  x: {
    console: 'https://developer.x.com/en/portal/dashboard',
    steps: [
      'Create a project with an app.',
      'Set up user authentication as a web app, with the callback URL.',
      'Copy the OAuth 2.0 client ID and secret.',
    ],
  },
};
