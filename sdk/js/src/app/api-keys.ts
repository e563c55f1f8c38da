import type { ApiKeyFirstView, ApiKeyView } from '@gatebook/contract/api-keys';
import type { Read } from './cache.ts';
import { fromWire, queryOf, toWire } from './fields.ts';
import { type Context, readList } from './reads.ts';

type KeyOf<Value, Owner> = Owner & {
  id: string;
  description: string;
  isPublic: boolean;
  createdAt: Date;
  /** Absent if the key never expires. */
  expiresAt?: Date;
  manuallyRevokedAt: Date | null;
  /** The key when it is created, later its last four characters. */
  value: Value;
  /** Checks revocation first. */
  whyInvalid(): 'manually-revoked' | 'expired' | null;
  isValid(): boolean;
  update(options: { description?: string; expiresAt?: Date | null; revoked?: boolean }): Promise<void>;
  /** A new key with the same description. This one ends at `oldExpiresAt`, if not sooner. */
  rotate(options: ApiKeyRotationOptions): Promise<KeyOf<string, Owner>>;
  /** Cannot be undone. */
  revoke(): Promise<void>;
};
type Tail = { lastFour: string };
type OfUser = { type: 'user'; userId: string };
type OfTeam = { type: 'team'; teamId: string };
export type UserApiKey = KeyOf<Tail, OfUser>;
export type UserApiKeyFirstView = KeyOf<string, OfUser>;
export type TeamApiKey = KeyOf<Tail, OfTeam>;
export type TeamApiKeyFirstView = KeyOf<string, OfTeam>;
export type ApiKeyCreationOptions = {
  description: string;
  /** Null: never. */
  expiresAt: Date | null;
  /** Secret scanners do not revoke public keys. */
  isPublic?: boolean;
};

export type ApiKeyRotationOptions = {
  /** Of the new key. Null: never. */
  expiresAt: Date | null;
  oldExpiresAt: Date;
};

/** The part of users and teams that is about their keys. */
export type ApiKeyOwner<Key, FirstView> = {
  /** Newest first. */
  listApiKeys: Read<[], Key[]>;
  createApiKey(options: ApiKeyCreationOptions): Promise<FirstView>;
};

export const apiKeysOfUser = (context: Context, userId: string): ApiKeyOwner<UserApiKey, UserApiKeyFirstView> =>
  apiKeysOf(context, '/user-api-keys', { userId });
export const apiKeysOfTeam = (context: Context, teamId: string): ApiKeyOwner<TeamApiKey, TeamApiKeyFirstView> =>
  apiKeysOf(context, '/team-api-keys', { teamId });

function apiKeysOf<Key, FirstView>(context: Context, path: string, owner: object): ApiKeyOwner<Key, FirstView> {
  const { send, cache } = context;
  const toKey = <Kind>(view: ApiKeyView | ApiKeyFirstView): Kind => {
    const { manuallyRevokedAt = null, ...fields } = fromWire(view);
    const whyInvalid = () => {
      if (manuallyRevokedAt) return 'manually-revoked';
      return fields.expiresAt && fields.expiresAt.getTime() <= Date.now() ? 'expired' : null;
    };
    const update = async (options: object) => {
      await send('PATCH', `${path}/${fields.id}${queryOf(owner)}`, toWire(options));
      await cache.refresh(path);
    };
    const methods = {
      whyInvalid,
      isValid: () => whyInvalid() === null,
      update,
      rotate: async (options: ApiKeyRotationOptions) => {
        const rotationPath = `${path}/${fields.id}/rotate${queryOf(owner)}`;
        const key = toKey<FirstView>(await send<ApiKeyFirstView>('POST', rotationPath, toWire(options)));
        await cache.refresh(path);
        return key;
      },
      revoke: () => update({ revoked: true }),
    };
    return { ...fields, manuallyRevokedAt, ...methods } as Kind;
  };
  return {
    listApiKeys: readList(context, () => `${path}${queryOf(owner)}`, toKey<Key>),
    createApiKey: async (options) => {
      const key = toKey<FirstView>(await send<ApiKeyFirstView>('POST', path, toWire({ ...options, ...owner })));
      await cache.refresh(path);
      return key;
    },
  };
}
