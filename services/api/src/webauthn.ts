import type { Webauthn } from '@gatebook/commands/webauthn';

const notYet = { outcome: 'failed', reason: 'response', message: 'Passkeys can not be verified yet.' } as const;

export function createWebauthn(): Webauthn {
  return {
    verifyRegistration: async () => notYet,
    verifyAuthentication: async () => notYet,
    credentialIdOf: () => null,
  };
}
