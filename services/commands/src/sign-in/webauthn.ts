import type { ProjectConfig } from '@gatebook/domain/project/config';
import type { Passkey } from '@gatebook/domain/user/events';

export type OriginRules = Pick<ProjectConfig, 'allowLocalhost' | 'domains'>;
/** `origin`: the page's host is not one of the project's. `message` is for the person, in plain words. */
export type PasskeyFault = { outcome: 'failed'; reason: 'origin' | 'response'; message: string };

/** The checks of WebAuthn, made by whoever knows the library. Answers are of any shape, as a browser sent them. */
export type Webauthn = {
  /** Protocol, auth §5.2, steps 4 to 6. `challenge` in base64url. */
  verifyRegistration(input: {
    credential: unknown;
    challenge: string;
    rules: OriginRules;
  }): Promise<{ outcome: 'verified'; passkey: Passkey } | PasskeyFault>;
  /** Protocol, auth §5.4, steps 4 and 5, but for the counter's place among the stored ones. */
  verifyAuthentication(input: {
    response: unknown;
    challenge: string;
    passkey: Passkey;
    rules: OriginRules;
  }): Promise<{ outcome: 'verified'; counter: number } | PasskeyFault>;
  /** The credential that an authentication response names; null when it names none. */
  credentialIdOf(response: unknown): string | null;
};
