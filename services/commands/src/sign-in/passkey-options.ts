import { randomBytes } from 'node:crypto';

/** Clients replace it with the host name of the page and stop if they see another value (protocol, auth §5.1). */
const rpIdPlaceholder = 'THIS_VALUE_WILL_BE_REPLACED.example.com';
/** COSE numbers of EdDSA, ES256 and RS256 (protocol, auth §5.2). */
export const offeredAlgorithms = [-8, -7, -257];
const ceremonyMs = 60_000;

/** 32 random bytes in base64url, from the CSPRNG. */
export const newChallenge = (): string => randomBytes(32).toString('base64url');

type Registering = { projectName: string; userId: string; userName: string; challenge: string };

/** Creation options as JSON (WebAuthn L3). The user handle makes authenticators keep one passkey per user. */
export function registrationOptions({ projectName, userId, userName, challenge }: Registering) {
  return {
    rp: { name: projectName, id: rpIdPlaceholder },
    user: { id: Buffer.from(userId).toString('base64url'), name: userName, displayName: userName },
    challenge,
    pubKeyCredParams: offeredAlgorithms.map((alg) => ({ alg, type: 'public-key' as const })),
    timeout: ceremonyMs,
    attestation: 'none' as const,
    excludeCredentials: [],
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'preferred' as const,
    },
    extensions: { credProps: true },
  };
}

/** Request options that name no credential, so that the authenticator offers every passkey of the site. */
export function authenticationOptions(challenge: string) {
  return {
    rpId: rpIdPlaceholder,
    challenge,
    allowCredentials: [],
    timeout: ceremonyMs,
    userVerification: 'preferred' as const,
  };
}
