import type { ProjectKeyFirstView, ProjectKeyView } from '@gatebook/contract/project-keys';
import type { Read } from './cache.ts';
import { fromWire, toWire } from './fields.ts';
import { type Context, readList } from './reads.ts';

type KeyKind = 'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey';
type InternalApiKeyBase = {
  id: string;
  description: string;
  createdAt: Date;
  expiresAt: Date;
  manuallyRevokedAt: Date | null;
  /** Checks expiration first. */
  whyInvalid(): 'expired' | 'manually-revoked' | null;
  isValid(): boolean;
  /** Cannot be undone. */
  revoke(): Promise<void>;
};
/** A set of keys of the project. */
export type InternalApiKey = InternalApiKeyBase & Record<KeyKind, { lastFour: string } | null>;
/** With the keys themselves, which are shown only once. */
export type InternalApiKeyFirstView = InternalApiKeyBase & Partial<Record<KeyKind, string>>;
export type InternalApiKeyCreateOptions = {
  description: string;
  expiresAt: Date;
  hasPublishableClientKey: boolean;
  hasSecretServerKey: boolean;
  hasSuperSecretAdminKey: boolean;
};
export type KeyMethods = {
  /** Newest first. */
  listInternalApiKeys: Read<[], InternalApiKey[]>;
  createInternalApiKey(options: InternalApiKeyCreateOptions): Promise<InternalApiKeyFirstView>;
};

const path = '/internal/api-keys';

export function keyMethods(context: Context): KeyMethods {
  const { send, cache } = context;
  const toKey = <View extends ProjectKeyFirstView | ProjectKeyView>(view: View) => {
    const fields = fromWire<ProjectKeyFirstView | ProjectKeyView>(view);
    const manuallyRevokedAt = ('manuallyRevokedAt' in fields && fields.manuallyRevokedAt) || null;
    const whyInvalid = () => {
      if (fields.expiresAt.getTime() <= Date.now()) return 'expired';
      return manuallyRevokedAt && 'manually-revoked';
    };
    const revoke = async () => {
      await send('PATCH', `${path}/${fields.id}`, { revoked: true });
      await cache.refresh(path);
    };
    return { ...fields, manuallyRevokedAt, whyInvalid, isValid: () => whyInvalid() === null, revoke };
  };
  return {
    listInternalApiKeys: readList(
      context,
      () => path,
      (view: ProjectKeyView) => {
        const none = { publishableClientKey: null, secretServerKey: null, superSecretAdminKey: null };
        return { ...none, ...toKey(view) } as InternalApiKey;
      },
    ),
    createInternalApiKey: async (options) => {
      const key = toKey(await send<ProjectKeyFirstView>('POST', path, toWire(options)));
      await cache.refresh(path);
      return key as InternalApiKeyFirstView;
    },
  };
}
