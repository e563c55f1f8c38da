import type {
  IssuerTestView,
  OpenIdProviderBody,
  OpenIdProviderList,
  OpenIdProviderView,
} from '@gatebook/contract/openid-providers';
import type { Send } from './transport.ts';

/** A provider that was added by its issuer. `id` is part of the callback URL, and accounts belong to it. */
export type OpenIdProvider = {
  id: string;
  displayName: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
};
export type StoredOpenIdProvider = OpenIdProvider & { callbackUrl: string };
/** Why sign-ins at an issuer would fail. `detail`: the fields or values that are wrong. */
export type IssuerFault = {
  reason:
    | 'not_allowed'
    | 'unreachable'
    | 'timeout'
    | 'too_large'
    | 'redirect'
    | 'status'
    | 'not_metadata'
    | 'issuer_mismatch'
    | 'endpoint_not_allowed'
    | 'keys_unusable';
  detail: string | null;
};

export type OpenIdProvidersClient = {
  list(): Promise<readonly StoredOpenIdProvider[]>;
  /** Adds the provider, or replaces the one with its ID. */
  set(provider: OpenIdProvider): Promise<StoredOpenIdProvider>;
  remove(id: string): Promise<void>;
  /** Reads the metadata and keys of an issuer as a sign-in does; null if they can be used. */
  testIssuer(issuer: string): Promise<IssuerFault | null>;
};

const path = '/internal/projects/current/openid-providers';

/** OpenID Connect providers of the project of the request headers; requires admin access. */
export const openIdProvidersClient = (send: Send): OpenIdProvidersClient => ({
  list: async () => (await send<OpenIdProviderList>('GET', path)).items.map(fromWire),
  set: async ({ id, displayName, issuer, clientId, clientSecret }) => {
    const body: OpenIdProviderBody = {
      display_name: displayName,
      issuer,
      client_id: clientId,
      client_secret: clientSecret,
    };
    return fromWire(await send<OpenIdProviderView>('PUT', `${path}/${encodeURIComponent(id)}`, body));
  },
  remove: async (id) => {
    await send('DELETE', `${path}/${encodeURIComponent(id)}`, {});
  },
  testIssuer: async (issuer) => {
    const { reason, detail } = await send<IssuerTestView>('POST', `${path}/test`, { issuer });
    return reason === null ? null : { reason, detail };
  },
});

const fromWire = (view: OpenIdProviderView): StoredOpenIdProvider => ({
  id: view.id,
  displayName: view.display_name,
  issuer: view.issuer,
  clientId: view.client_id,
  clientSecret: view.client_secret,
  callbackUrl: view.callback_url,
});
