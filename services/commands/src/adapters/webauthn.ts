import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { trustedPasskeyHost } from '@gatebook/domain/project/trusted-urls';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { isoCBOR } from '@simplewebauthn/server/helpers';
import { z } from 'zod';
import { offeredAlgorithms } from '../sign-in/passkey-options.ts';
import type { OriginRules, PasskeyFault, Webauthn } from '../sign-in/webauthn.ts';

/** With the first passkey: it brings parsers of certificates, which take long to load. */
const loadLibrary = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');

const rsaAlgorithms = [-257, -258, -259, -65535, -37, -38, -39];
/** Authenticators may choose more algorithms than the offered ones (protocol, auth §5.2). */
const acceptedAlgorithms = [...offeredAlgorithms, -36, ...rsaAlgorithms];

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
const ClientData = z.object({
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
});

type PasskeyOrigin = { origin: string; rpId: string; topOrigin: string | null };

/**
 * The origin that a browser signed, if it is one of the project's; its host name is the RP ID. Null if it is not, and
 * for a frame in a page that is not one of the project's or that the browser does not name (WebAuthn L3 §7.1 step 10,
 * §7.2 step 13).
 */
export function passkeyOrigin(clientDataJson: string, rules: OriginRules): PasskeyOrigin | null {
  const { origin, crossOrigin = false, topOrigin } = clientDataOf(clientDataJson) ?? {};
  const rpId = origin === undefined ? null : trustedPasskeyHost(origin, rules);
  if (origin === undefined || rpId === null) return null;
  if (!crossOrigin) return topOrigin === undefined ? { origin, rpId, topOrigin: null } : null;
  return topOrigin !== undefined && trustedPasskeyHost(topOrigin, rules) !== null ? { origin, rpId, topOrigin } : null;
}

function clientDataOf(clientDataJson: string): z.infer<typeof ClientData> | null {
  try {
    const parsed = ClientData.safeParse(JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Formats in which somebody else than the key itself vouches for the authenticator, by certificates. */
const vouchedFormats: ReadonlySet<string> = new Set([
  ...['packed', 'fido-u2f', 'tpm', 'apple', 'android-key', 'android-safetynet'],
]);

/**
 * The attestation object as a client sends it if no attestation was requested (WebAuthn L3 §5.1.3). We request none,
 * trust none, and drop certificates unread, because the library follows URLs in them (docs/decisions/0024).
 * @throws Error for anything that is not an attestation object
 */
async function withoutCertificates(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await loadHelpers();
  const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const isSelfAttested = object.get('fmt') === 'packed' && object.get('attStmt').get('x5c') === undefined;
  if (!vouchedFormats.has(object.get('fmt')) || isSelfAttested) return attestationObject;
  const bare = new Map<string, CBORType>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', object.get('authData')],
  ]);
  return Buffer.from(isoCBOR.encode(bare)).toString('base64url');
}

type CBORType = Parameters<typeof isoCBOR.encode>[0];

const curves: Readonly<Record<number, { alg: number; crv: string }>> = {
  1: { alg: -7, crv: 'P-256' },
  3: { alg: -36, crv: 'P-521' },
  6: { alg: -8, crv: 'Ed25519' },
};

/** Whether a COSE key fits its algorithm (WebAuthn L3 §5.8.5) and can verify at all: a point that lies on its curve. */
async function isUsableKey(publicKey: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { cose, isoCBOR } = await loadHelpers();
  const key = isoCBOR.decodeFirst<ReadonlyMap<number, unknown>>(publicKey);
  const [kty, alg, first, second, third] = [1, 3, -1, -2, -3].map((name) => key.get(name));
  const text = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : undefined);
  const curve = curves[Number(first)];
  const isCurve = kty === (curve?.crv === 'Ed25519' ? cose.COSEKTY.OKP : cose.COSEKTY.EC2) && curve?.alg === alg;
  if (!isCurve && (kty !== cose.COSEKTY.RSA || !rsaAlgorithms.includes(Number(alg)))) return false;
  const jwk: Record<string, string | undefined> = isCurve
    ? { kty: kty === cose.COSEKTY.OKP ? 'OKP' : 'EC', crv: curve?.crv, x: text(second), y: text(third) }
    : { kty: 'RSA', n: text(first), e: text(second) };
  try {
    createPublicKey({ key: JSON.parse(JSON.stringify(jwk)) as JsonWebKey, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

const failed = (reason: PasskeyFault['reason'], message: string): PasskeyFault => ({
  outcome: 'failed',
  reason,
  message,
});
const foreignOrigin = failed('origin', 'Passkeys of this project can not be used on this page’s address.');
const malformed = failed('response', 'The authenticator’s answer can not be read.');

/** The checks of (protocol, auth §5.2 and §5.4), by a library that knows the formats. No input makes it throw. */
export function createWebauthn(): Webauthn {
  return {
    verifyRegistration: async ({ credential, challenge, rules }) => {
      const answer = RegistrationAnswer.safeParse(credential);
      if (!answer.success) return malformed;
      const from = passkeyOrigin(answer.data.response.clientDataJSON, rules);
      if (!from) return foreignOrigin;
      try {
        const { response } = answer.data;
        const attestationObject = await withoutCertificates(response.attestationObject);
        const bare = { ...answer.data, response: { ...response, attestationObject } };
        const { verifyRegistrationResponse } = await loadLibrary();
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: bare as unknown as RegistrationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: from.origin,
          expectedRPID: from.rpId,
          requireUserVerification: false,
          supportedAlgorithmIDs: acceptedAlgorithms,
        });
        if (!verified) return failed('response', 'The passkey could not be verified.');
        const { credential: made, credentialDeviceType: deviceType } = registrationInfo;
        if (made.id !== answer.data.id) return failed('response', 'The passkey is not the one that the answer names.');
        if (!(await isUsableKey(made.publicKey)))
          return failed('response', 'The key of the passkey does not fit its algorithm.');
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
        const { verifyAuthenticationResponse } = await loadLibrary();
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: answer.data as unknown as AuthenticationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: from.origin,
          expectedRPID: from.rpId,
          ...(from.topOrigin !== null && { expectedTopOrigin: from.topOrigin }),
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
