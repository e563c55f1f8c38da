import type { ProjectConfig } from '@gatebook/domain/project/config';
import type { Passkey } from '@gatebook/domain/user/events';

export type OriginRules = Pick<ProjectConfig, 'allowLocalhost' | 'domains'>;
/** `origin`: the host of the page is not trusted by the project. `message` is shown to the user. */
export type PasskeyFault = { outcome: 'failed'; reason: 'origin' | 'response'; message: string };

/** WebAuthn verification, implemented by an adapter. Responses have any shape, as a browser sent them. */
export type Webauthn = {
  /** (protocol, auth §5.2, steps 4 to 6) `challenge` in base64url. */
  verifyRegistration(input: {
    credential: unknown;
    challenge: string;
    rules: OriginRules;
  }): Promise<{ outcome: 'verified'; passkey: Passkey } | PasskeyFault>;
  /** (protocol, auth §5.4, steps 4 and 5), except the comparison of the counter with the stored one. */
  verifyAuthentication(input: {
    response: unknown;
    challenge: string;
    passkey: Passkey;
    rules: OriginRules;
  }): Promise<{ outcome: 'verified'; counter: number } | PasskeyFault>;
  /** ID of the credential in an authentication response; null when it has none. */
  credentialIdOf(response: unknown): string | null;
};
