import type {
  CreateProjectKey as CreateProjectKeyBody,
  FirstRequestView,
  ProjectKeyFirstView,
  ProjectKeyListView,
  ProjectKeyPatch,
  ProjectKeyRotation,
  ProjectKeyView,
} from '@gatebook/contract/project-keys';
import type { Send } from './transport.ts';

type KeyFacts = { id: string; description: string; createdAt: Date; expiresAt: Date };
export type ProjectKeyKind = 'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey';
/** A set of up to three keys with one expiration. Only the last four characters of each key are known. */
export type ProjectKey = KeyFacts & {
  manuallyRevokedAt: Date | null;
  /** To the minute; null if never. */
  lastUsedAt: Date | null;
  lastFour: Readonly<Record<ProjectKeyKind, string | null>>;
};
/** The complete keys, which are returned only once. */
export type NewProjectKey = KeyFacts & { texts: Readonly<Record<ProjectKeyKind, string | null>> };
export type CreateProjectKey = { description: string; expiresAt: Date; kinds: readonly ProjectKeyKind[] };

export type KeyRotation = { expiresAt: Date; oldExpiresAt: Date };

/** What an app has sent to the project; never requests of the dashboard and of the server's own pages. */
export type FirstRequest = {
  /** The first request that was accepted; null: none yet. */
  firstRequest: {
    at: Date;
    accessType: 'client' | 'server' | 'admin';
    /** null: of a client without a key. */
    key: { id: string; description: string } | null;
    /** A client library with its version, or the name of a browser or program; null: unknown. */
    client: string | null;
  } | null;
  /** The latest request of the last hour that was rejected. `reason`: in the language of the caller. */
  latestRejection: { requestId: string; at: Date; errorCode: string; route: string; reason: string } | null;
};

export type ProjectKeysClient = {
  /** Newest first. */
  list(): Promise<readonly ProjectKey[]>;
  create(input: CreateProjectKey): Promise<NewProjectKey>;
  /** A new set of the same kinds. The old one ends at `oldExpiresAt`, if not sooner. */
  rotate(keyId: string, input: KeyRotation): Promise<NewProjectKey>;
  describe(keyId: string, description: string): Promise<ProjectKey>;
  /** Cannot be undone. */
  revoke(keyId: string): Promise<ProjectKey>;
  findFirstRequest(): Promise<FirstRequest>;
};

/** What `rotate` calls, for a preview. */
export const callOfKeyRotation = (keyId: string, { expiresAt, oldExpiresAt }: KeyRotation) => ({
  method: 'POST' as const,
  path: `/internal/api-keys/${encodeURIComponent(keyId)}/rotate`,
  body: {
    expires_at_millis: expiresAt.getTime(),
    old_expires_at_millis: oldExpiresAt.getTime(),
  } satisfies ProjectKeyRotation,
});

export const projectKeysClient = (send: Send): ProjectKeysClient => {
  const change = async (keyId: string, patch: ProjectKeyPatch): Promise<ProjectKey> =>
    fromWire(await send<ProjectKeyView>('PATCH', `/internal/api-keys/${encodeURIComponent(keyId)}`, patch));
  return {
    list: async () => (await send<ProjectKeyListView>('GET', '/internal/api-keys')).items.map(fromWire),
    create: async ({ description, expiresAt, kinds }) => {
      return toNewKey(
        await send<ProjectKeyFirstView>('POST', '/internal/api-keys', {
          description,
          expires_at_millis: expiresAt.getTime(),
          has_publishable_client_key: kinds.includes('publishableClientKey'),
          has_secret_server_key: kinds.includes('secretServerKey'),
          has_super_secret_admin_key: kinds.includes('superSecretAdminKey'),
        } satisfies CreateProjectKeyBody),
      );
    },
    rotate: async (keyId, rotation) => {
      const { method, path, body } = callOfKeyRotation(keyId, rotation);
      return toNewKey(await send<ProjectKeyFirstView>(method, path, body));
    },
    describe: (keyId, description) => change(keyId, { description }),
    revoke: (keyId) => change(keyId, { revoked: true }),
    findFirstRequest: async () => toFirstRequest(await send<FirstRequestView>('GET', '/internal/first-request')),
  };
};

/** Why a key is invalid, or null. Checks expiration first (protocol, projects §6). */
export function whyInvalid(key: Pick<ProjectKey, 'expiresAt' | 'manuallyRevokedAt'>, now: Date) {
  if (key.expiresAt.getTime() <= now.getTime()) return 'expired';
  return key.manuallyRevokedAt === null ? null : 'manually-revoked';
}

/** From when an expiration is worth a warning. */
const WARNING_MS = 30 * 24 * 60 * 60 * 1000;

/** Whether a key works and expires within 30 days. */
export const endsSoon = (key: Pick<ProjectKey, 'expiresAt' | 'manuallyRevokedAt'>, now: Date): boolean =>
  whyInvalid(key, now) === null && key.expiresAt.getTime() - now.getTime() <= WARNING_MS;

function factsOf(view: ProjectKeyFirstView | ProjectKeyView): KeyFacts {
  return {
    id: view.id,
    description: view.description,
    createdAt: new Date(view.created_at_millis),
    expiresAt: new Date(view.expires_at_millis),
  };
}

function toNewKey(view: ProjectKeyFirstView): NewProjectKey {
  return {
    ...factsOf(view),
    texts: {
      publishableClientKey: view.publishable_client_key ?? null,
      secretServerKey: view.secret_server_key ?? null,
      superSecretAdminKey: view.super_secret_admin_key ?? null,
    },
  };
}

function toFirstRequest({ first_request: first, latest_rejection: rejection }: FirstRequestView): FirstRequest {
  return {
    firstRequest: first && {
      at: new Date(first.at_millis),
      accessType: first.access_type,
      key: first.key,
      client: first.client,
    },
    latestRejection: rejection && {
      requestId: rejection.request_id,
      at: new Date(rejection.at_millis),
      errorCode: rejection.error_code,
      route: rejection.route,
      reason: rejection.reason,
    },
  };
}

function fromWire(view: ProjectKeyView): ProjectKey {
  const revokedAt = view.manually_revoked_at_millis;
  return {
    ...factsOf(view),
    manuallyRevokedAt: revokedAt === undefined ? null : new Date(revokedAt),
    lastUsedAt: view.last_used_at_millis === undefined ? null : new Date(view.last_used_at_millis),
    lastFour: {
      publishableClientKey: view.publishable_client_key?.last_four ?? null,
      secretServerKey: view.secret_server_key?.last_four ?? null,
      superSecretAdminKey: view.super_secret_admin_key?.last_four ?? null,
    },
  };
}
