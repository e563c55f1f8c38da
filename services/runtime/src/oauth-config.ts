import { z } from 'zod';
import { isSafeUrl } from './loopback.ts';

/** Providers whose keys a server can share with its projects (protocol, auth §8.7). */
const shareable = ['google', 'github', 'microsoft', 'spotify'] as const;
type Shareable = (typeof shareable)[number];

/**
 * A project that enters these as its own keys signs in at the simulator and stores provider tokens. They open nothing
 * else: without the simulator they go to the provider, which does not know them.
 */
export const simulatorKeys = { clientId: 'simulator', clientSecret: 'simulator' } as const;

const url = z.string().refine(isSafeUrl, 'must be an https URL, or an http URL of this machine').optional();
const text = z.string().optional();

const keyed = <Id extends Shareable>(id: Id) => {
  const name = id.toUpperCase() as Uppercase<Id>;
  const endpoint = (kind: string) =>
    url.meta({
      description: `${kind} endpoint of a server that works like the provider, such as GitHub Enterprise. Set all three endpoints.`,
      whenUnset: "the provider's",
    });
  return {
    [`GATEBOOK_SHARED_OAUTH_${name}_CLIENT_ID`]: text.meta({
      description:
        'Client ID that projects without their own keys use. `<PROVIDER>` is `GOOGLE`, `GITHUB`, `MICROSOFT` or `SPOTIFY`.',
    }),
    [`GATEBOOK_SHARED_OAUTH_${name}_CLIENT_SECRET`]: text.meta({ description: 'Client secret for that client ID.' }),
    [`GATEBOOK_SHARED_OAUTH_${name}_ISSUER`]: url.meta({
      description: 'OpenID provider to use in place of the provider. Its endpoints are discovered.',
      whenUnset: "the provider's",
    }),
    [`GATEBOOK_SHARED_OAUTH_${name}_AUTHORIZATION_URL`]: endpoint('Authorization'),
    [`GATEBOOK_SHARED_OAUTH_${name}_TOKEN_URL`]: endpoint('Token'),
    [`GATEBOOK_SHARED_OAUTH_${name}_USERINFO_URL`]: endpoint('User info'),
  } as Record<`GATEBOOK_SHARED_OAUTH_${Uppercase<Id>}_${'CLIENT_ID' | 'CLIENT_SECRET'}`, typeof text> &
    Record<
      `GATEBOOK_SHARED_OAUTH_${Uppercase<Id>}_${'ISSUER' | 'AUTHORIZATION_URL' | 'TOKEN_URL' | 'USERINFO_URL'}`,
      typeof url
    >;
};

/** Settings of the provider keys that projects without their own keys use. */
export const oauthSettings = {
  ...keyed('google'),
  ...keyed('github'),
  ...keyed('microsoft'),
  ...keyed('spotify'),
  GATEBOOK_SHARED_OAUTH_URL: url.meta({
    description:
      'One OpenID provider for all four providers without keys. The client ID is the provider ID, such as `google`. Every email address that it returns counts as verified.',
    whenUnset: 'a development simulator, with the embedded Postgres at localhost',
  }),
  GATEBOOK_SHARED_OAUTH_SECRET: text.meta({ description: 'Client secret for that OpenID provider.' }),
};
type Given = z.infer<z.ZodObject<typeof oauthSettings>>;

export type SharedKeys = {
  clientId: string;
  clientSecret: string;
  /** Its endpoints are discovered. Without it the three endpoints below apply; without those, the provider's. */
  issuer?: string;
  authorizationEndpoint?: string;
  tokenEndpoint?: string;
  userinfoEndpoint?: string;
};

/** `ownKeys`: see `simulatorKeys`. */
export type SharedIssuer = { url: string; secret: string; ownKeys?: typeof simulatorKeys };

/** The settings, grouped, and a sentence for each setting that requires another. */
export function groupOAuth(given: Given) {
  const faults: string[] = [];
  const needs = (has: unknown, name: string, other: string) => {
    if (has) faults.push(`${name} requires ${other}`);
  };
  const sharedKeys: Partial<Record<Shareable, SharedKeys>> = {};
  for (const id of shareable) {
    const prefix = `GATEBOOK_SHARED_OAUTH_${id.toUpperCase() as Uppercase<Shareable>}` as const;
    const clientId = given[`${prefix}_CLIENT_ID`];
    const clientSecret = given[`${prefix}_CLIENT_SECRET`];
    const issuer = given[`${prefix}_ISSUER`];
    const authorizationEndpoint = given[`${prefix}_AUTHORIZATION_URL`];
    const tokenEndpoint = given[`${prefix}_TOKEN_URL`];
    const userinfoEndpoint = given[`${prefix}_USERINFO_URL`];
    const endpoints = [authorizationEndpoint, tokenEndpoint, userinfoEndpoint].filter((each) => each !== undefined);
    needs(clientId && !clientSecret, `${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`);
    needs(clientSecret && !clientId, `${prefix}_CLIENT_SECRET`, `${prefix}_CLIENT_ID`);
    needs(
      (issuer || endpoints.length > 0) && !clientId && !clientSecret,
      `An endpoint of ${prefix}_*`,
      `${prefix}_CLIENT_ID`,
    );
    if (endpoints.length === 1 || endpoints.length === 2) {
      faults.push(`${prefix}_AUTHORIZATION_URL, ${prefix}_TOKEN_URL and ${prefix}_USERINFO_URL must be set together`);
    }
    if (issuer && endpoints.length > 0) faults.push(`${prefix}_ISSUER provides the endpoints: remove the other URLs`);
    if (!clientId || !clientSecret) continue;
    sharedKeys[id] = {
      clientId,
      clientSecret,
      ...(issuer ? { issuer } : {}),
      ...(authorizationEndpoint && tokenEndpoint && userinfoEndpoint
        ? { authorizationEndpoint, tokenEndpoint, userinfoEndpoint }
        : {}),
    };
  }
  const { GATEBOOK_SHARED_OAUTH_URL: issuerUrl, GATEBOOK_SHARED_OAUTH_SECRET: secret } = given;
  needs(issuerUrl && !secret, 'GATEBOOK_SHARED_OAUTH_URL', 'GATEBOOK_SHARED_OAUTH_SECRET');
  needs(secret && !issuerUrl, 'GATEBOOK_SHARED_OAUTH_SECRET', 'GATEBOOK_SHARED_OAUTH_URL');
  const sharedIssuer: SharedIssuer | null = issuerUrl && secret ? { url: issuerUrl, secret } : null;
  return { oauth: { sharedKeys, sharedIssuer }, faults };
}
