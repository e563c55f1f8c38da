import { providerNames } from '@gatebook/domain/project/provider-names';
import { t } from '@lingui/core/macro';

const names: Readonly<Record<string, string>> = {
  password: t`Password`,
  otp: t`Email code`,
  passkey: t`Passkey`,
  anonymous: t`Anonymous`,
  ...providerNames,
  other: t`Other`,
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

/** Display names of the methods with which a user can sign in. */
export function methodsOf(user: Methods): string[] {
  return [
    ...(user.hasPassword ? ['password'] : []),
    ...(user.otpAuthEnabled ? ['otp'] : []),
    ...(user.passkeyAuthEnabled ? ['passkey'] : []),
    ...user.oauthProviders.map(({ id }) => id),
  ].map(methodName);
}
