import { randomBytes } from 'node:crypto';
import type { OriginRules, PasskeyFault, Webauthn } from '@gatebook/commands/webauthn';
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';

/** What a page's host name replaces; clients stop when another comes (protocol, auth §5.1). */
const rpIdPlaceholder = 'THIS_VALUE_WILL_BE_REPLACED.example.com';
/** Offered: EdDSA, ES256, RS256. Taken: further ones that authenticators choose by themselves (protocol, auth §5.2). */
const offered = [-8, -7, -257];
const taken = [...offered, -36, -37, -38, -39, -258, -259, -65535];
const ceremonyMs = 60_000;

/** 32 random bytes in base64url, from the CSPRNG. */
export const newChallenge = (): string => randomBytes(32).toString('base64url');

type Registering = { projectName: string; userId: string; userName: string; challenge: string };

/** Creation options in the JSON form of WebAuthn L3. The user handle makes an authenticator keep one passkey per user. */
export function registrationOptions({ projectName, userId, userName, challenge }: Registering) {
  return {
    rp: { name: projectName, id: rpIdPlaceholder },
    user: { id: Buffer.from(userId).toString('base64url'), name: userName, displayName: userName },
    challenge,
    pubKeyCredParams: offered.map((alg) => ({ alg, type: 'public-key' as const })),
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

/** Request options that name nobody: the authenticator offers the passkeys that it has. */
export function authenticationOptions(challenge: string) {
  return {
    rpId: rpIdPlaceholder,
    challenge,
    allowCredentials: [],
    timeout: ceremonyMs,
    userVerification: 'preferred' as const,
  };
}

const base64url = z.base64url().max(65_536);
const common = {
  id: base64url.min(1).max(1_400),
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
  authenticatorAttachment: z.string().optional(),
};
const RegistrationAnswer = z.object({
  ...common,
  response: z.object({
    attestationObject: base64url,
    clientDataJSON: base64url,
    transports: z.array(z.string().max(32)).max(8).optional(),
  }),
});
const AuthenticationAnswer = z.object({
  ...common,
  response: z.object({
    authenticatorData: base64url,
    clientDataJSON: base64url,
    signature: base64url,
    userHandle: z.string().nullish(),
  }),
});
const ClientData = z.object({ origin: z.string() });

/** The origin that a browser signed, when it is one of the project's; its host name is the RP id. Null when it is not. */
export function passkeyOrigin(
  clientDataJson: string,
  { allowLocalhost, domains }: OriginRules,
): { origin: string; rpId: string } | null {
  const origin = originOf(clientDataJson);
  const url = origin === null ? null : URL.parse(origin);
  if (origin === null || url === null || url.origin !== origin) return null;
  // The name itself alone: passkeys are bound to a host name, and addresses are none.
  const isLocal = url.hostname === 'localhost';
  const isTrusted = isLocal ? allowLocalhost : domains.some(({ domain }) => domain === origin);
  return isTrusted ? { origin, rpId: url.hostname } : null;
}

function originOf(clientDataJson: string): string | null {
  try {
    const parsed = ClientData.safeParse(JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()));
    return parsed.success ? parsed.data.origin : null;
  } catch {
    return null;
  }
}

const failed = (reason: PasskeyFault['reason'], message: string): PasskeyFault => ({
  outcome: 'failed',
  reason,
  message,
});
const foreignOrigin = failed('origin', 'Passkeys of this project can not be used on this page’s address.');
const malformed = failed('response', 'The authenticator’s answer can not be read.');

/** The checks of protocol, auth §5.2 and §5.4, by a library that knows the formats. No input makes it throw. */
export function createWebauthn(): Webauthn {
  return {
    verifyRegistration: async ({ credential, challenge, rules }) => {
      const answer = RegistrationAnswer.safeParse(credential);
      if (!answer.success) return malformed;
      const from = passkeyOrigin(answer.data.response.clientDataJSON, rules);
      if (!from) return foreignOrigin;
      try {
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: answer.data as unknown as RegistrationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: from.origin,
          expectedRPID: from.rpId,
          requireUserVerification: false,
          supportedAlgorithmIDs: taken,
        });
        if (!verified) return failed('response', 'The passkey could not be verified.');
        const { credential: made, credentialDeviceType: deviceType } = registrationInfo;
        return {
          outcome: 'verified',
          passkey: {
            credentialId: made.id,
            publicKey: Buffer.from(made.publicKey).toString('base64url'),
            counter: made.counter,
            transports: answer.data.response.transports ?? [],
            deviceType,
          },
        };
      } catch (error) {
        return failed('response', `The passkey could not be verified: ${reasonOf(error)}`);
      }
    },

    verifyAuthentication: async ({ response, challenge, passkey, rules }) => {
      const answer = AuthenticationAnswer.safeParse(response);
      if (!answer.success) return malformed;
      const from = passkeyOrigin(answer.data.response.clientDataJSON, rules);
      if (!from) return foreignOrigin;
      const { credentialId: id, publicKey, counter, transports } = passkey;
      try {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: answer.data as unknown as AuthenticationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: from.origin,
          expectedRPID: from.rpId,
          requireUserVerification: false,
          credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter, transports },
        });
        if (!verified) return failed('response', 'The passkey could not be verified.');
        return { outcome: 'verified', counter: authenticationInfo.newCounter };
      } catch (error) {
        return failed('response', `The passkey could not be verified: ${reasonOf(error)}`);
      }
    },

    credentialIdOf: (response) => {
      const answer = AuthenticationAnswer.safeParse(response);
      return answer.success ? answer.data.id : null;
    },
  };
}

/** The library's own words say which check failed; they hold nothing of the key or the person. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown reason';
}
