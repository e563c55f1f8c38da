const names: Readonly<Record<string, string>> = {
  password: 'Password',
  otp: 'E-mail code',
  passkey: 'Passkey',
  anonymous: 'Anonymous',
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
  other: 'Other',
};

export function methodName(id: string): string {
  return names[id] ?? id;
}

type Methods = {
  hasPassword: boolean;
  otpAuthEnabled: boolean;
  passkeyAuthEnabled: boolean;
  oauthProviders: readonly { id: string }[];
};

/** The ways in which a user can sign in, in words. */
export function methodsOf(user: Methods): string[] {
  return [
    ...(user.hasPassword ? ['password'] : []),
    ...(user.otpAuthEnabled ? ['otp'] : []),
    ...(user.passkeyAuthEnabled ? ['passkey'] : []),
    ...user.oauthProviders.map(({ id }) => id),
  ].map(methodName);
}
