/** As the providers write themselves; one that is not known goes by its id. */
const names: Readonly<Record<string, string>> = {
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

export function providerName(id: string): string {
  return Object.hasOwn(names, id) ? (names[id] ?? id) : id;
}
