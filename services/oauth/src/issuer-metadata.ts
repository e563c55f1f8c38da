import type { IssuerFault } from '@gatebook/commands/oauth/oauth-providers';
import { isSafeUrl } from '@gatebook/runtime/loopback';
import { OutgoingError } from '@gatebook/runtime/outgoing/send-request';
import { z } from 'zod';
import { type Network, parseJson } from './request.ts';

const endpoint = z.string().max(2_048).refine(isSafeUrl);
/** Signatures with a key pair (RFC 7518 §3.1). Neither `none` nor secrets that clients share. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const texts = z.array(z.string().max(200)).max(1_000);

/** The metadata that sign-ins need (OpenID Connect Discovery §3). Everything else is dropped. */
export const IssuerMetadata = z.object({
  issuer: z.string().max(2_048),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint.optional(),
  jwks_uri: endpoint,
  scopes_supported: texts.default([]),
  token_endpoint_auth_methods_supported: texts.default(['client_secret_basic']),
  id_token_signing_alg_values_supported: texts
    .transform((names) => names.filter((name) => algorithms.includes(name)))
    .refine((names) => names.length > 0)
    .optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type IssuerMetadata = z.infer<typeof IssuerMetadata>;

type Found = { metadata: IssuerMetadata } | { fault: IssuerFault };

const faultOf = (reason: IssuerFault['reason'], detail: string | null = null) => ({ fault: { reason, detail } });
/** Paste errors: Auth0 writes its issuers with a slash at the end, most others without. */
const withoutSlash = (issuer: string) => issuer.replace(/\/$/, '');

/** Reads the metadata of an OpenID provider (OpenID Connect Discovery §4). */
export async function readIssuerMetadata(network: Network, issuer: string, signal: AbortSignal): Promise<Found> {
  const document = await readDocument(network, `${withoutSlash(issuer)}/.well-known/openid-configuration`, signal);
  if ('fault' in document) return document;
  const parsed = IssuerMetadata.safeParse(document.json);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => String(path[0] ?? '')).filter(Boolean);
    return faultOf('not_metadata', [...new Set(fields)].join(', ') || null);
  }
  const { data: metadata } = parsed;
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer)) return faultOf('issuer_mismatch', metadata.issuer);
  for (const field of ['token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const) {
    const url = metadata[field];
    if (url !== undefined && !network.isAllowed(url)) return faultOf('endpoint_not_allowed', field);
  }
  return { metadata };
}

const KeySet = z.object({
  keys: z.array(
    z
      .object({ kty: z.enum(['RSA', 'EC', 'OKP']) })
      .nullable()
      .catch(null),
  ),
});

/** Why the keys of an OpenID provider can't verify an ID token; null if they can. */
export async function findKeysFault(
  network: Network,
  { jwks_uri: url }: IssuerMetadata,
  signal: AbortSignal,
): Promise<IssuerFault | null> {
  const document = await readDocument(network, url, signal);
  if ('fault' in document) return { reason: 'keys_unusable', detail: document.fault.reason };
  const parsed = KeySet.safeParse(document.json);
  const hasKey = parsed.success && parsed.data.keys.some((key) => key !== null);
  return hasKey ? null : { reason: 'keys_unusable', detail: null };
}

async function readDocument(
  network: Network,
  url: string,
  signal: AbortSignal,
): Promise<{ json: unknown } | { fault: IssuerFault }> {
  try {
    const { status, body } = await network.send(
      url,
      { method: 'GET', headers: { accept: 'application/json' } },
      signal,
    );
    if (status >= 300 && status < 400) return faultOf('redirect');
    if (status !== 200) return faultOf('status', String(status));
    const json = parseJson(body);
    return json === undefined ? faultOf('not_metadata') : { json };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return faultOf(error.reason === 'forbidden' ? 'not_allowed' : error.reason);
  }
}
