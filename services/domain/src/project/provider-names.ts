import type { providerIds } from './config.ts';

/** Names as the providers write them. */
const names: Readonly<Record<(typeof providerIds)[number], string>> = {
  google: 'Google',
  github: 'GitHub',
  microsoft: 'Microsoft',
  spotify: 'Spotify',
  facebook: 'Facebook',
  discord: 'Discord',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
  linkedin: 'LinkedIn',
  apple: 'Apple',
  x: 'X',
};
export const providerNames: Readonly<Record<string, string>> = names;
