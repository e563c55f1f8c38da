import type { ClientUserView, OwnUserPatch } from '@gatebook/contract/users';
import type { Json } from './json.ts';
import type { Send } from './transport.ts';

export type CurrentUser = {
  id: string;
  displayName: string | null;
  primaryEmail: string | null;
  primaryEmailVerified: boolean;
  profileImageUrl: string | null;
  signedUpAt: Date;
  hasPassword: boolean;
  otpAuthEnabled: boolean;
  passkeyAuthEnabled: boolean;
  isMultiFactorRequired: boolean;
  isAnonymous: boolean;
  /** Why the user is restricted; null if the user is not. */
  restriction: RestrictionType | null;
  /** A user whom an administrator restricts can't sign in. */
  restrictedByAdmin: boolean;
  restrictedByAdminReason: string | null;
  clientMetadata: Json;
  clientReadOnlyMetadata: Json;
  oauthProviders: readonly { id: string; accountId: string; email: string | null }[];
};
export type RestrictionType = 'restricted_by_administrator' | 'anonymous' | 'email_not_verified';

/** The fields that users can change in their own account. */
export type OwnChanges = {
  displayName?: string | null;
  /** A URL, or a `data:` URL with the image. */
  profileImageUrl?: string | null;
  otpAuthEnabled?: boolean;
  /** Can only be turned off. Registering a passkey turns it on. */
  passkeyAuthEnabled?: false;
  /** The 20-byte secret of the authenticator app; null turns the second factor off. */
  totpSecret?: Uint8Array | null;
};

/** The signed-in user. */
export type MeClient = {
  find(): Promise<CurrentUser>;
  update(changes: OwnChanges): Promise<CurrentUser>;
  /**
   * Deletes the account. The caller must invalidate the session.
   * @throws AnswerError if the project does not allow it
   */
  delete(): Promise<void>;
};

export const meClient = (send: Send): MeClient => ({
  find: async () => toCurrentUser(await send<ClientUserView>('GET', '/users/me')),
  update: async ({ displayName, profileImageUrl, otpAuthEnabled, passkeyAuthEnabled, totpSecret }) => {
    const body: OwnUserPatch = {
      display_name: displayName,
      profile_image_url: profileImageUrl,
      otp_auth_enabled: otpAuthEnabled,
      passkey_auth_enabled: passkeyAuthEnabled,
      totp_secret_base64: totpSecret && btoa(String.fromCharCode(...totpSecret)),
    };
    return toCurrentUser(await send<ClientUserView>('PATCH', '/users/me', body));
  },
  delete: async () => {
    await send('DELETE', '/users/me', {});
  },
});

export function toCurrentUser(view: ClientUserView): CurrentUser {
  return {
    id: view.id,
    displayName: view.display_name,
    primaryEmail: view.primary_email,
    primaryEmailVerified: view.primary_email_verified,
    profileImageUrl: view.profile_image_url,
    signedUpAt: new Date(view.signed_up_at_millis),
    hasPassword: view.has_password,
    otpAuthEnabled: view.otp_auth_enabled,
    passkeyAuthEnabled: view.passkey_auth_enabled,
    isMultiFactorRequired: view.requires_totp_mfa,
    isAnonymous: view.is_anonymous,
    restriction: view.restricted_reason?.type ?? null,
    restrictedByAdmin: view.restricted_by_admin ?? false,
    restrictedByAdminReason: view.restricted_by_admin_reason ?? null,
    clientMetadata: view.client_metadata,
    clientReadOnlyMetadata: view.client_read_only_metadata,
    oauthProviders: view.oauth_providers.map(({ id, account_id, email }) => ({ id, accountId: account_id, email })),
  };
}
