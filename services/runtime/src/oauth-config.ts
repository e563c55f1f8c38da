import { z } from 'zod';
import { isSafeUrl } from './loopback.ts';

/** Providers for which a server may hold keys that projects share (protocol, auth §8.7). */
const shareable = ['google', 'github', 'microsoft', 'spotify'] as const;
type Shareable = (typeof shareable)[number];

const url = z.string().refine(isSafeUrl, 'must be an https URL, or an http URL of this machine').optional();
const text = z.string().optional();

const keyed = <Id extends Shareable>(id: Id) => {
  const name = id.toUpperCase() as Uppercase<Id>;
  return {
    [`GATEBOOK_SHARED_OAUTH_${name}_CLIENT_ID`]: text,
    [`GATEBOOK_SHARED_OAUTH_${name}_CLIENT_SECRET`]: text,
    [`GATEBOOK_SHARED_OAUTH_${name}_ISSUER`]: url,
    [`GATEBOOK_SHARED_OAUTH_${name}_AUTHORIZATION_URL`]: url,
    [`GATEBOOK_SHARED_OAUTH_${name}_TOKEN_URL`]: url,
    [`GATEBOOK_SHARED_OAUTH_${name}_USERINFO_URL`]: url,
  } as Record<`GATEBOOK_SHARED_OAUTH_${Uppercase<Id>}_${'CLIENT_ID' | 'CLIENT_SECRET'}`, typeof text> &
    Record<
      `GATEBOOK_SHARED_OAUTH_${Uppercase<Id>}_${'ISSUER' | 'AUTHORIZATION_URL' | 'TOKEN_URL' | 'USERINFO_URL'}`,
      typeof url
    >;
};

/** Settings of the keys for sign-in providers that projects without keys of their own use. */
export const oauthSettings = {
  ...keyed('google'),
  ...keyed('github'),
  ...keyed('microsoft'),
  ...keyed('spotify'),
  GATEBOOK_SHARED_OAUTH_URL: url,
  GATEBOOK_SHARED_OAUTH_SECRET: text,
};
type Given = z.infer<z.ZodObject<typeof oauthSettings>>;

export type SharedKeys = {
  clientId: string;
  clientSecret: string;
  /** Found by discovery there; or else the three endpoints; or else the provider's own. */
  issuer?: string;
  authorizationEndpoint?: string;
  tokenEndpoint?: string;
  userinfoEndpoint?: string;
};

/** Grouped, with a sentence for each setting that makes no sense without another. */
export function groupOAuth(given: Given) {
  const faults: string[] = [];
  const needs = (has: unknown, name: string, other: string) => {
    if (has) faults.push(`${name} needs ${other} as well`);
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
    needs((issuer || endpoints.length > 0) && !clientId && !clientSecret, `an address of ${prefix}_*`, 'its client id');
    if (endpoints.length === 1 || endpoints.length === 2) {
      faults.push(`${prefix}_AUTHORIZATION_URL, ${prefix}_TOKEN_URL and ${prefix}_USERINFO_URL come together`);
    }
    if (issuer && endpoints.length > 0) faults.push(`${prefix}_ISSUER tells the addresses: leave the others out`);
    if (!clientId || !clientSecret) continue;
    sharedKeys[id] = {
      ...{ clientId, clientSecret },
      ...(issuer ? { issuer } : {}),
      ...(authorizationEndpoint && tokenEndpoint && userinfoEndpoint
        ? { authorizationEndpoint, tokenEndpoint, userinfoEndpoint }
        : {}),
    };
  }
  const { GATEBOOK_SHARED_OAUTH_URL: issuerUrl, GATEBOOK_SHARED_OAUTH_SECRET: secret } = given;
  needs(issuerUrl && !secret, 'GATEBOOK_SHARED_OAUTH_URL', 'GATEBOOK_SHARED_OAUTH_SECRET');
  needs(secret && !issuerUrl, 'GATEBOOK_SHARED_OAUTH_SECRET', 'GATEBOOK_SHARED_OAUTH_URL');
  const sharedIssuer = issuerUrl && secret ? { url: issuerUrl, secret } : null;
  return { oauth: { sharedKeys, sharedIssuer }, faults };
}
