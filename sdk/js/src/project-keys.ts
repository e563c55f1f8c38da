import type {
  CreateProjectKey as CreateProjectKeyBody,
  ProjectKeyFirstView,
  ProjectKeyListView,
  ProjectKeyPatch,
  ProjectKeyView,
} from '@gatebook/contract/project-keys';
import type { Send } from './transport.ts';

type KeyFacts = { id: string; description: string; createdAt: Date; expiresAt: Date };
export type ProjectKeyKind = 'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey';
/** A set of up to three keys with one expiration. Only the last four characters of each key are known. */
export type ProjectKey = KeyFacts & {
  manuallyRevokedAt: Date | null;
  lastFour: Readonly<Record<ProjectKeyKind, string | null>>;
};
/** The complete keys, which are returned only once. */
export type NewProjectKey = KeyFacts & { texts: Readonly<Record<ProjectKeyKind, string | null>> };
export type CreateProjectKey = { description: string; expiresAt: Date; kinds: readonly ProjectKeyKind[] };

export type ProjectKeysClient = {
  /** Newest first. */
  list(): Promise<readonly ProjectKey[]>;
  create(input: CreateProjectKey): Promise<NewProjectKey>;
  describe(keyId: string, description: string): Promise<ProjectKey>;
  /** Cannot be undone. */
  revoke(keyId: string): Promise<ProjectKey>;
};

export const projectKeysClient = (send: Send): ProjectKeysClient => {
  const change = async (keyId: string, patch: ProjectKeyPatch): Promise<ProjectKey> =>
    fromWire(await send<ProjectKeyView>('PATCH', `/internal/api-keys/${encodeURIComponent(keyId)}`, patch));
  return {
    list: async () => (await send<ProjectKeyListView>('GET', '/internal/api-keys')).items.map(fromWire),
    create: async ({ description, expiresAt, kinds }) => {
      const view = await send<ProjectKeyFirstView>('POST', '/internal/api-keys', {
        description,
        expires_at_millis: expiresAt.getTime(),
        has_publishable_client_key: kinds.includes('publishableClientKey'),
        has_secret_server_key: kinds.includes('secretServerKey'),
        has_super_secret_admin_key: kinds.includes('superSecretAdminKey'),
      } satisfies CreateProjectKeyBody);
      return {
        ...factsOf(view),
        texts: {
          publishableClientKey: view.publishable_client_key ?? null,
          secretServerKey: view.secret_server_key ?? null,
          superSecretAdminKey: view.super_secret_admin_key ?? null,
        },
      };
    },
    describe: (keyId, description) => change(keyId, { description }),
    revoke: (keyId) => change(keyId, { revoked: true }),
  };
};

/** Why a key is invalid, or null. Checks expiration first (protocol, projects §6). */
export function whyInvalid(key: Pick<ProjectKey, 'expiresAt' | 'manuallyRevokedAt'>, now: Date) {
  if (key.expiresAt.getTime() <= now.getTime()) return 'expired';
  return key.manuallyRevokedAt === null ? null : 'manually-revoked';
}

function factsOf(view: ProjectKeyFirstView | ProjectKeyView): KeyFacts {
  return {
    id: view.id,
    description: view.description,
    createdAt: new Date(view.created_at_millis),
    expiresAt: new Date(view.expires_at_millis),
  };
}

function fromWire(view: ProjectKeyView): ProjectKey {
  const revokedAt = view.manually_revoked_at_millis;
  return {
    ...factsOf(view),
    manuallyRevokedAt: revokedAt === undefined ? null : new Date(revokedAt),
    lastFour: {
      publishableClientKey: view.publishable_client_key?.last_four ?? null,
      secretServerKey: view.secret_server_key?.last_four ?? null,
      superSecretAdminKey: view.super_secret_admin_key?.last_four ?? null,
    },
  };
}
